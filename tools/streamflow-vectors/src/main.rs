//! Prints generated Streamflow contracts, as the official SDK writes them, and what it says can be claimed.
//! `cargo run --release --manifest-path tools/streamflow-vectors/Cargo.toml | gzip -9n > \
//!  src/venues/lockers/vectors/streamflow.jsonl.gz`

use anchor_lang::prelude::Pubkey;
use anchor_lang::AnchorSerialize;
use std::str::FromStr;
use streamflow_sdk::state::{
    find_escrow_account, Contract, CreateParams, CREATE_PARAMS_PADDING, METADATA_LEN,
    STREAMFLOW_PROGRAM_ID,
};

const CONTRACTS: u64 = 3_000;
const MOMENTS: u64 = 4;
const METADATA_KEYS: u64 = 16;
const CREATED_AT: u64 = 1_790_000_000;
/// The recipient pays no fee: he gets all of what is available.
const RECIPIENT_PERCENT: f32 = 100.0;
const PERIODS: [u64; 6] = [1, 60, 3_600, 86_400, 604_800, 2_592_000];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`, both included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }
}

fn key(tag: u8, number: u8) -> Pubkey {
    Pubkey::new_from_array([tag, number].repeat(16).try_into().unwrap())
}

fn end_of(start: u64, rest: u64, ix: &CreateParams) -> u64 {
    start + rest.div_ceil(ix.amount_per_period) * ix.period
}

fn terms(random: &mut Random) -> CreateParams {
    let net_amount_deposited = random.next() % 10u64.pow(random.between(1, 17) as u32) + 1;
    let start_time = CREATED_AT + random.between(0, 10_000_000);
    let cliff_amount = match random.between(0, 4) {
        0 => 0,
        1 => net_amount_deposited,
        2 => net_amount_deposited - 1,
        _ => random.between(0, net_amount_deposited),
    };
    let rest = net_amount_deposited - cliff_amount;
    let most = rest / random.between(1, 500) + 1;
    CreateParams {
        start_time,
        net_amount_deposited,
        period: PERIODS[random.between(0, 5) as usize],
        amount_per_period: random.between(1, most).max(rest / 2_000),
        cliff: random.between(0, 1) * (start_time + random.between(0, 5_000_000)),
        cliff_amount,
        cancelable_by_sender: false,
        cancelable_by_recipient: false,
        automatic_withdrawal: random.between(0, 1) == 0,
        transferable_by_sender: random.between(0, 1) == 0,
        transferable_by_recipient: random.between(0, 1) == 0,
        can_topup: random.between(0, 1) == 0,
        stream_name: [random.between(97, 122) as u8; 64],
        withdraw_frequency: random.between(0, 86_400),
        ghost: 0,
        pausable: random.between(0, 1) == 0,
        can_update_rate: false,
        ghost2: 0,
        is_pda: random.between(0, 1) == 0,
        nonce: random.between(0, 9) as u32,
    }
}

fn contract(random: &mut Random, metadata: &Pubkey, program: &Pubkey) -> Contract {
    let ix = terms(random);
    let old_metadata = if random.between(0, 4) == 0 {
        key(9, 9)
    } else {
        Pubkey::default()
    };
    let seed = if old_metadata == Pubkey::default() {
        metadata
    } else {
        &old_metadata
    };
    let escrow_tokens = find_escrow_account(seed.as_ref(), program).0;
    Contract {
        magic: random.next(),
        version: 2,
        created_at: CREATED_AT,
        amount_withdrawn: 0,
        canceled_at: 0,
        end_time: 0,
        last_withdrawn_at: 0,
        sender: key(1, random.between(0, 3) as u8),
        sender_tokens: key(2, 0),
        recipient: key(3, random.between(0, 3) as u8),
        recipient_tokens: key(4, 0),
        mint: key(5, random.between(0, 3) as u8),
        escrow_tokens,
        streamflow_treasury: key(6, 0),
        streamflow_treasury_tokens: key(6, 1),
        streamflow_fee_total: random.between(0, 999),
        streamflow_fee_withdrawn: 0,
        streamflow_fee_percent: 0.25,
        partner: key(7, 0),
        partner_tokens: key(7, 1),
        partner_fee_total: 0,
        partner_fee_withdrawn: 0,
        partner_fee_percent: 0.0,
        ix,
        ix_padding: [0; CREATE_PARAMS_PADDING],
        closed: false,
        current_pause_start: 0,
        pause_cumulative: 0,
        last_rate_change_time: 0,
        funds_unlocked_at_last_rate_change: 0,
        creation_fee: random.between(0, 9) as u32,
        creation_fee_claimed: random.between(0, 1) == 0,
        auto_claim_fee: random.between(0, 9) as u32,
        auto_claim_fee_claimed: random.between(0, 1) == 0,
        old_metadata,
        payer: key(8, 0),
        bump: random.between(0, 255) as u8,
    }
}

/// Changes the contract as its instructions may have, and gives the first moment at which it is so.
fn change(contract: &mut Contract, kind: u64, random: &mut Random) -> u64 {
    let start = contract.start_time();
    let rest = contract.ix.net_amount_deposited - contract.ix.cliff_amount;
    contract.end_time = end_of(start, rest, &contract.ix);
    let within = random.between(start, contract.end_time);
    match kind {
        4 => contract.ix.cancelable_by_sender = true,
        5 => contract.ix.cancelable_by_recipient = true,
        6 => contract.closed = true,
        7 => contract.canceled_at = within,
        8 => {
            contract.current_pause_start = random.between(start - 1_000, contract.end_time);
            return contract.current_pause_start;
        }
        9 => {
            contract.pause_cumulative = random.between(1, 1_000_000);
            contract.end_time += contract.pause_cumulative;
            return within + contract.pause_cumulative;
        }
        10 => {
            contract.ix.can_update_rate = true;
            contract.last_rate_change_time = within;
            let unlocked = (within - start) / contract.ix.period * contract.ix.amount_per_period;
            contract.funds_unlocked_at_last_rate_change = unlocked.min(rest);
            contract.ix.amount_per_period = random.between(1, rest + 1).max(rest / 2_000);
            let left = rest - contract.funds_unlocked_at_last_rate_change;
            contract.end_time = end_of(within, left, &contract.ix);
            return within;
        }
        _ => {}
    }
    0
}

/// Times before, at and after each change of what is open.
fn moment(contract: &Contract, random: &mut Random) -> u64 {
    let (start, end) = (contract.start_time(), contract.end_time);
    match random.between(0, 6) {
        0 => start - 1,
        1 => start,
        2 => end - 1,
        3 => end + random.between(0, 2),
        4 => random.between(start, end),
        _ => {
            let periods = (end - start) / contract.ix.period;
            start + random.between(0, periods) * contract.ix.period - random.between(0, 1)
        }
    }
}

fn main() {
    let program = Pubkey::from_str(STREAMFLOW_PROGRAM_ID).unwrap();
    let mut random = Random(24);
    for number in 0..CONTRACTS {
        let metadata = key(10, (number % METADATA_KEYS) as u8);
        let mut contract = contract(&mut random, &metadata, &program);
        let mut since = change(&mut contract, number % 11, &mut random);
        if random.between(0, 1) == 0 {
            since = since.max(moment(&contract, &mut random));
            let available = contract.available_to_claim(since, RECIPIENT_PERCENT);
            contract.amount_withdrawn = random.between(0, available);
        }
        let claims: Vec<String> = (0..MOMENTS)
            .map(|_| moment(&contract, &mut random).max(since))
            .map(|at| {
                format!(
                    "[{at},\"{}\"]",
                    contract.available_to_claim(at, RECIPIENT_PERCENT)
                )
            })
            .collect();
        let bytes = contract.try_to_vec().unwrap();
        assert!(bytes.len() <= METADATA_LEN);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let claims = claims.join(",");
        println!("{{\"metadata\":\"{metadata}\",\"account\":\"{hex}\",\"claims\":[{claims}]}}");
    }
}
