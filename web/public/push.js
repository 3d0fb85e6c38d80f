// The service worker of push messages: it shows alerts while no page is open, and does nothing else.
// Nothing is cached or intercepted. Plain, and without imports.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("push", (event) => event.waitUntil(receive(event.data.json())));
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data));
});

async function receive({ title, body, path, tag, verify }) {
  // A browser demands a notification for each message, the one that fails to verify included.
  const isVerified = verify === undefined || (await verifyChannel(verify));
  await self.registration.showNotification(title, {
    ...(isVerified ? { body } : {}),
    tag,
    data: path,
  });
}

/** The first message holds the code of this browser's channel. */
async function verifyChannel({ id, code }) {
  const response = await fetch(`/api/account/channels/${encodeURIComponent(id)}/verify`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
    client.postMessage("channels");
  return response?.ok === true;
}

async function openPage(path) {
  const url = new URL(path, self.location.origin).href;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find((page) => page.url.split("?")[0] === url);
  await (open === undefined ? self.clients.openWindow(url) : open.focus());
}
