import assert from "node:assert/strict";
import { type Copy, DockerfileParser, type Instruction } from "dockerfile-ast";

/** One step of a stage, its variables replaced, without its flags. */
export type Step = {
  readonly keyword: string;
  readonly text: string;
  /** COPY: the stage it copies from; null for the checkout. */
  readonly fromStage: string | null;
};

export type Stage = {
  readonly name: string;
  /** An image of a registry, or an earlier stage. */
  readonly base: string;
  readonly steps: readonly Step[];
};

/** What a Dockerfile says of the image that it makes. */
export type ImageFile = {
  /** In order; the last one is the image. */
  readonly stages: readonly Stage[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly volumes: readonly string[];
  /** ENTRYPOINT and CMD as one command. */
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
};

/** @throws where a command is not in the exec form, or the user is not two numbers */
export function readImageFile(text: string): ImageFile {
  const stages = readStages(text);
  const steps = stages.at(-1)?.steps ?? [];
  const last = (keyword: string): string => {
    const step = steps.findLast((step) => step.keyword === keyword);
    return step?.text ?? assert.fail(`the image has no ${keyword}`);
  };
  const user = /^([1-9]\d*):([1-9]\d*)$/.exec(last("USER"));
  assert.ok(user, "USER is two numbers, and neither is root's");
  const environment = steps
    .filter(({ keyword }) => keyword === "ENV")
    .flatMap(({ text }) => text.split(" "))
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  return {
    stages,
    environment: Object.fromEntries(environment),
    user: { uid: Number(user[1]), gid: Number(user[2]) },
    volumes: wordsOf(last("VOLUME")),
    command: [...wordsOf(last("ENTRYPOINT")), ...wordsOf(last("CMD"))],
    healthcheck: wordsOf(last("HEALTHCHECK").replace(/^CMD /, "")),
  };
}

function readStages(text: string): readonly Stage[] {
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    const step = stepOf(instruction);
    if (step.keyword === "FROM") {
      const [base = "", , name = ""] = step.text.split(" ");
      stages.push({ name, base, steps: [] });
    } else {
      stages.at(-1)?.steps.push(step);
    }
  }
  return stages;
}

function stepOf(instruction: Instruction): Step {
  const keyword = instruction.getKeyword();
  const words = instruction.getExpandedArguments().map((argument) => argument.getValue());
  const from = keyword === "COPY" ? (instruction as Copy).getFromFlag() : null;
  return { keyword, text: words.join(" "), fromStage: from?.getValue() ?? null };
}

/** The words of a command in its exec form: a JSON array. */
function wordsOf(text: string): readonly string[] {
  const words: unknown = JSON.parse(text);
  assert.ok(Array.isArray(words) && words.every((word) => typeof word === "string"));
  return words;
}
