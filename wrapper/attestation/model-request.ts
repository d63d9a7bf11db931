import { Type } from 'typebox'
import { Check } from 'typebox/value'

/** The CLI's name of a tool of ours is this and the tool's own. */
const prefix = 'mcp__platform__'

const Request = Type.Object({
  tools: Type.Array(Type.Object({ name: Type.String() })),
  messages: Type.Array(Type.Object({ content: Type.Unknown() }), { minItems: 1 }),
})
const Text = Type.Object({ type: Type.Literal('text'), text: Type.String() })

/**
 * Begins the last text of the CLI's requests for a summary. They declare all tools, so that the provider's cache serves
 * them, and the CLI runs none that they bring (selftest `attest.compaction`).
 */
const summaryOrder = 'CRITICAL: Respond with TEXT ONLY.'

export function toolOf(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
}

/** The platform's tools that a request declares; none where it can't be read. */
export function declaredTools(body: Uint8Array): ReadonlySet<string> {
  const request = parse(body)
  if (!Check(Request, request) || asksForSummary(request.messages.at(-1)?.content)) return new Set()
  return new Set(request.tools.flatMap(({ name }) => toolOf(name) ?? []))
}

function asksForSummary(content: unknown): boolean {
  const last: unknown = Array.isArray(content) ? content.at(-1) : { type: 'text', text: content }
  return Check(Text, last) && last.text.startsWith(summaryOrder)
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
