/**
 * The request's URL as the router can read it: in a path that is not well encoded every percent sign
 * stands for itself. What it names is not there, and is answered so, like any other path.
 */
export function readableUrl(url: string): string {
  if (!url.includes("%")) return url;
  const [path = "", ...query] = url.split("?");
  return isWellEncoded(path) ? url : [path.replaceAll("%", "%25"), ...query].join("?");
}

function isWellEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
