import type { operations, Places } from "./openapi.ts";

export type * from "./openapi.ts";

/** Every operation: its parameters, and its answers by status. */
export type Operations = {
  readonly [Id in keyof operations]: {
    readonly method: Places[Id][0];
    readonly path: Places[Id][1];
    readonly parameters: Given<operations[Id]["parameters"]["path"]>;
    readonly query: Given<operations[Id]["parameters"]["query"]>;
    readonly headers: Given<operations[Id]["parameters"]["header"]>;
    readonly body: operations[Id] extends {
      readonly requestBody: { readonly content: infer Content };
    }
      ? Given<Content[keyof Content]>
      : undefined;
    readonly answers: Answers<operations[Id]["responses"]>;
  };
};

/** Every code that a refusal can have. */
export type ErrorCode = {
  [Id in keyof Operations]: CodeOf<Operations[Id]["answers"][keyof Operations[Id]["answers"]]>;
}[keyof Operations];

/** What most refusals are: a stable code, and one helpful sentence. */
export type Refusal<Code extends ErrorCode> = { readonly error: Code; readonly message: string };

/** Optional fields also accept an explicit undefined, under exactOptionalPropertyTypes too. */
type Given<Fields> = [Fields] extends [undefined]
  ? undefined
  : {
      readonly [Name in keyof NonNullable<Fields>]: object extends Pick<NonNullable<Fields>, Name>
        ? NonNullable<Fields>[Name] | undefined
        : NonNullable<Fields>[Name];
    };

type Answers<Responses> = {
  readonly [Status in keyof Responses]: Responses[Status] extends {
    readonly content: infer Content;
  }
    ? Content[keyof Content]
    : undefined;
};

type CodeOf<Answer> = Answer extends { readonly error: infer Code extends string } ? Code : never;
