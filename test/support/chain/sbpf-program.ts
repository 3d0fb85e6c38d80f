/**
 * A minimal sBPF program as the chain's loader accepts it: an ELF file with a text section and nothing to
 * relocate. So it calls no syscall: what it can do is compute, loop, and touch memory.
 */
export function sbpfProgram(instructions: readonly SbpfInstruction[]): Uint8Array {
  const text = Buffer.concat(instructions.map(bytesOf));
  const names = Buffer.from("\0.text\0.shstrtab\0");
  const textAt = ELF_HEADER;
  const namesAt = textAt + text.length;
  const sectionsAt = (namesAt + names.length + 7) & ~7;
  const file = Buffer.alloc(sectionsAt + 3 * SECTION_HEADER);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.writeUInt16LE(SHARED_OBJECT, 16);
  file.writeUInt16LE(MACHINE_BPF, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(textAt), 24);
  file.writeBigUInt64LE(BigInt(sectionsAt), 40);
  file.writeUInt16LE(ELF_HEADER, 52);
  file.writeUInt16LE(PROGRAM_HEADER, 54);
  file.writeUInt16LE(SECTION_HEADER, 58);
  file.writeUInt16LE(3, 60);
  file.writeUInt16LE(2, 62);
  text.copy(file, textAt);
  names.copy(file, namesAt);
  writeSection(file, sectionsAt + SECTION_HEADER, {
    ...{ name: 1, type: 1, flags: 6n },
    ...{ at: textAt, size: text.length },
  });
  writeSection(file, sectionsAt + 2 * SECTION_HEADER, {
    ...{ name: 7, type: 3, flags: 0n },
    ...{ at: namesAt, size: names.length },
  });
  return file;
}

const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;
const SECTION_HEADER = 64;
const SHARED_OBJECT = 3;
const MACHINE_BPF = 247;

/** @see https://github.com/anza-xyz/sbpf/blob/main/doc/bytecode.md */
export type SbpfInstruction = {
  readonly opcode: number;
  readonly target?: number;
  readonly source?: number;
  readonly offset?: number;
  readonly value?: number;
};

export const EXIT: SbpfInstruction = { opcode: 0x95 };
export const setRegister = (target: number, value: number): SbpfInstruction => ({
  opcode: 0xb7,
  target,
  value,
});
/** Jumps over so many instructions; -1: to itself. */
export const jump = (offset: number): SbpfInstruction => ({ opcode: 0x05, offset });
/** Reads eight bytes at the address in a register. */
export const read = (target: number, source: number): SbpfInstruction => ({
  opcode: 0x79,
  target,
  source,
});
export const divide = (target: number, source: number): SbpfInstruction => ({
  opcode: 0x3f,
  target,
  source,
});

function bytesOf({ opcode, target = 0, source = 0, offset = 0, value = 0 }: SbpfInstruction) {
  const bytes = Buffer.alloc(8);
  bytes[0] = opcode;
  bytes[1] = target | (source << 4);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(value, 4);
  return bytes;
}

type Section = {
  readonly name: number;
  readonly type: number;
  readonly flags: bigint;
  readonly at: number;
  readonly size: number;
};

function writeSection(file: Buffer, start: number, section: Section): void {
  file.writeUInt32LE(section.name, start);
  file.writeUInt32LE(section.type, start + 4);
  file.writeBigUInt64LE(section.flags, start + 8);
  file.writeBigUInt64LE(BigInt(section.at), start + 16);
  file.writeBigUInt64LE(BigInt(section.at), start + 24);
  file.writeBigUInt64LE(BigInt(section.size), start + 32);
  file.writeBigUInt64LE(8n, start + 48);
}
