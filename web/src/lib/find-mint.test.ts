import assert from "node:assert/strict";
import { test } from "node:test";
import { findMint } from "./find-mint.ts";

const MINT = "6BCHxxjsz3Wf8y2D2u6FyvduMaX7fQ3y9Jd1bsV8pump";
const OTHER = "5PHFdQdv1v5Q455T5TrJVokAmcdnUEfKPVwdGtitnump";

test("a mint is found in whatever is pasted", () => {
  for (const text of [
    MINT,
    `  ${MINT}\n`,
    `look: ${MINT}!`,
    `https://dexscreener.com/solana/${MINT}`,
    `https://pump.fun/coin/${MINT}?from=x`,
    `https://birdeye.so/token/${MINT}?chain=solana`,
    `https://solscan.io/token/${MINT}#markets`,
    `https://jup.ag/swap?inputMint=${MINT}&outputMint=So11111111111111111111111111111111111111112`,
    `So11111111111111111111111111111111111111112 ${MINT}`,
  ])
    assert.equal(findMint(text), MINT, text);
});

test("of a swap the token is found, and not the dollars that it is bought with", () => {
  const listed = "27G8MtK7VtTcCHkpASjSDdkWWYfoqT6ggEuKidVJidD4";
  const dollars = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  for (const text of [
    `https://jup.ag/swap?sell=${dollars}&buy=${listed}`,
    `https://raydium.io/swap/?inputMint=${dollars}&outputMint=${listed}`,
  ])
    assert.equal(findMint(text), listed, text);
  for (const text of [dollars, `https://solscan.io/token/${dollars}`, `SOL ${dollars}`])
    assert.equal(findMint(text), dollars, text);
});

test("a launchpad's address comes before another one, and no address is none", () => {
  assert.equal(findMint(`${OTHER} ${MINT}`), MINT);
  const longer = `${MINT}${OTHER}`;
  for (const text of [longer, `https://solscan.io/tx/${longer}`, `?mint=${longer}`])
    assert.equal(findMint(text), null, "a signature or a secret key");
  for (const text of ["", "RUG", "0".repeat(40), "https://dexscreener.com/solana"])
    assert.equal(findMint(text), null, text);
});
