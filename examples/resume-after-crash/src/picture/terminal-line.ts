/** A line of a terminal, and its kind: a heading of the picture, a command, a call, or the answer or output of a program. */
export interface Line {
  readonly kind: "heading" | "command" | "call" | "answer" | "output";
  readonly text: string;
}

export function heading(text: string): Line {
  return { kind: "heading", text: text === "" ? "" : `# ${text}` };
}

export function command(text: string): Line {
  return { kind: "command", text: `$ ${text}` };
}

export function call(tool: string, about: string): Line {
  return { kind: "call", text: `> ${tool}  ${about}` };
}

export function answer(text: string): Line {
  return { kind: "answer", text: `  ${text}` };
}

export function output(text: string): Line {
  return { kind: "output", text };
}
