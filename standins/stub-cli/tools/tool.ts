/** What every tool of the stub is: a name, a schema for the model, and what it does. */
export interface ToolAnswer {
  readonly text: string
  readonly error: boolean
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** `id` is that of the model's block. */
  run(input: Readonly<Record<string, unknown>>, signal: AbortSignal, id: string): Promise<ToolAnswer>
}

export function schemaOf(
  properties: Readonly<Record<string, string>>,
  required: readonly string[],
): Readonly<Record<string, unknown>> {
  const types = Object.entries(properties).map(([name, type]) => [name, { type }])
  return { type: 'object', properties: Object.fromEntries(types), required }
}
