import { asked, print } from '../output/terminal.ts'

export interface Voice {
  write(...lines: readonly string[]): void
  ask(question: string, until: AbortSignal): Promise<string>
}

/** The story goes on while a person thinks: what happens meanwhile comes after the answer, so that no line cuts the question. */
export function createVoice(put: (line: string) => void = print, ask: Voice['ask'] = asked): Voice {
  let held: string[] | undefined
  return {
    write: (...lines) => (held === undefined ? lines.forEach((line) => put(line)) : void held.push(...lines)),
    async ask(question, until) {
      const lines: string[] = []
      held = lines
      try {
        return await ask(question, until)
      } finally {
        held = undefined
        for (const line of lines) put(line)
      }
    },
  }
}
