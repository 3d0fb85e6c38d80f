/** An event of a stream of server-sent events. */
export type StreamEvent = { readonly name: string; readonly data: string };

/**
 * Cuts the text of an event stream into events, however the network cut it into pieces. Comments,
 * ids and retry times are ignored.
 */
export function createEventReader(onEvent: (event: StreamEvent) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    rest += text;
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const event = readEvent(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event !== null) onEvent(event);
    }
  };
}

function readEvent(block: string): StreamEvent | null {
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length === 0 ? null : { name, data: data.join("\n") };
}
