import { Address } from "../../components/address.tsx";
import { venueName } from "../../lib/venue-names.ts";

type Props = { readonly program: string; readonly address: string };

/** A pool by its program's name, with where more is found of it. */
export function PoolLinks({ program, address }: Props) {
  return (
    <>
      <span className="pool-program">{venueName(program)}</span>
      <span className="pool-links">
        <Address address={address} isShort />
        <a
          className="small"
          href={`https://dexscreener.com/solana/${address}`}
          target="_blank"
          rel="noreferrer noopener"
        >
          DexScreener<span aria-hidden="true">↗</span>
          <span className="visually-hidden">
            , {venueName(program)} {address}
          </span>
        </a>
      </span>
    </>
  );
}
