import { cutText } from "./untrusted-text.ts";
import { isRefusal, type Sent } from "./webhook-sender.ts";

const TIMEOUT_MS = 10_000;
/** Telegram takes messages of up to 4,096 characters. */
export const LONGEST_TELEGRAM = 4_000;
const CHAT_ID = /^-?\d{1,18}$/;

export type TelegramBot = {
  readonly send: (chatId: string, text: string) => Promise<Sent>;
};

/** A chat's number, as the bot's own messages name it; null for anything else. */
export function parseChatId(text: string): string | null {
  return CHAT_ID.test(text) ? text : null;
}

/** Sends plain text as the operator's bot. Ends within ten seconds; an error never holds the token. */
export function createTelegramBot(settings: {
  readonly botToken: string;
  readonly apiUrl: string;
}): TelegramBot {
  const url = `${settings.apiUrl}/bot${settings.botToken}/sendMessage`;
  return {
    async send(chatId, text) {
      const body = {
        chat_id: chatId,
        text: cutText(text, LONGEST_TELEGRAM),
        link_preview_options: { is_disabled: true },
      };
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
          redirect: "manual",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        if (response.ok) {
          await response.body?.cancel();
          return { kind: "sent" };
        }
        const error = `Telegram answered ${response.status}.`;
        return isRefusal(response.status) && !(await isAboutChat(response))
          ? { kind: "refused", error }
          : { kind: "failed", error };
      } catch {
        // The cause names the address, and the token in it.
        return { kind: "failed", error: "Telegram could not be reached." };
      }
    },
  };
}

/** Telegram also answers 400 if the chat is gone: then every message of the channel fails. */
async function isAboutChat(response: Response): Promise<boolean> {
  const text = await response.text();
  return /chat not found|chat_id|peer_id|user is deactivated|group chat was/i.test(text);
}
