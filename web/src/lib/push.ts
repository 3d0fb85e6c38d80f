import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { CHANNELS_QUERY } from "./channels.ts";

const WORKER = "/push.js";

export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
}

/** The endpoint at which this browser takes push messages; null: nowhere, or not known yet. */
export function useOwnEndpoint() {
  const [endpoint, setEndpoint] = useState<string | null>(null);
  const client = useQueryClient();
  useEffect(() => {
    if (!canPush()) return;
    void ownSubscription().then((found) => setEndpoint(found?.endpoint ?? null));
    // The service worker has entered the code of this browser's channel.
    const refresh = () => void client.invalidateQueries({ queryKey: CHANNELS_QUERY });
    navigator.serviceWorker.addEventListener("message", refresh);
    navigator.serviceWorker.startMessages();
    return () => navigator.serviceWorker.removeEventListener("message", refresh);
  }, [client]);
  return [endpoint, setEndpoint] as const;
}

async function ownSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Asks the reader and then the browser's push service. Null: the reader refused. */
export async function subscribe(key: string): Promise<PushSubscription | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  // One that was made with another key, or for another user, takes no message of this channel.
  await unsubscribe();
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
}

export async function unsubscribe(): Promise<void> {
  await (await ownSubscription())?.unsubscribe();
}
