import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { canonical } from './canonical.ts'
import { toolOf } from './model-request.ts'
import type { Block } from './registry.ts'

/** Where the blocks of one answer go. */
export interface BlockSink {
  register(block: Block): void
  /** The answer broke off: what nobody has spent counts no more. */
  drop(): void
}

const ToolUse = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  input: Type.Object({}),
})
const Index = Type.Integer({ minimum: 0 })
const Start = Type.Object({ type: Type.Literal('content_block_start'), index: Index, content_block: Type.Unknown() })
const Delta = Type.Object({
  type: Type.Literal('content_block_delta'),
  index: Index,
  delta: Type.Object({ type: Type.Literal('input_json_delta'), partial_json: Type.String() }),
})
const Stop = Type.Object({ type: Type.Literal('content_block_stop'), index: Index })
const Message = Type.Object({ type: Type.Literal('message'), content: Type.Array(Type.Unknown()) })
const Event = Type.Object({ type: Type.String() })

interface OpenBlock {
  readonly id: string
  readonly name: string
  readonly input: object
  json: string
}

/** Reads the `tool_use` blocks of one streamed answer. What it can't read ends its reading: nothing more counts. */
export class BlockReader {
  readonly #sink: BlockSink
  readonly #open = new Map<number, OpenBlock>()
  #partial = ''
  #state: 'reading' | 'whole' | 'broken' = 'reading'

  constructor(sink: BlockSink) {
    this.#sink = sink
  }

  /** Must have returned before the text goes on to the CLI, which runs a tool as soon as its block has ended. */
  push(text: string): void {
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:') && this.#state === 'reading') this.#data(line.slice(5))
  }

  /** The answer has ended, however. */
  end(): void {
    if (this.#state !== 'whole') this.#break()
  }

  #data(json: string): void {
    try {
      this.#event(JSON.parse(json))
    } catch {
      this.#break()
    }
  }

  #event(event: unknown): void {
    if (!Check(Event, event) || event.type === 'error') return this.#break()
    if (Check(Start, event)) this.#started(event.index, event.content_block)
    else if (Check(Delta, event)) this.#grown(event.index, event.delta.partial_json)
    else if (Check(Stop, event)) this.#stopped(event.index)
    else if (event.type === 'message_stop') this.#state = 'whole'
  }

  #started(index: number, block: unknown): void {
    this.#open.delete(index)
    if (Check(ToolUse, block)) this.#open.set(index, { id: block.id, name: block.name, input: block.input, json: '' })
  }

  #grown(index: number, json: string): void {
    const block = this.#open.get(index)
    if (block) block.json += json
  }

  #stopped(index: number): void {
    const block = this.#open.get(index)
    this.#open.delete(index)
    if (block) take(this.#sink, block.id, block.name, block.json === '' ? block.input : JSON.parse(block.json))
  }

  #break(): void {
    if (this.#state === 'broken') return
    this.#state = 'broken'
    this.#open.clear()
    this.#sink.drop()
  }
}

/** The blocks of an answer that came in one piece. */
export function readWhole(sink: BlockSink, body: unknown): void {
  if (!Check(Message, body)) return
  for (const block of body.content) if (Check(ToolUse, block)) take(sink, block.id, block.name, block.input)
}

function take(sink: BlockSink, id: string, name: string, input: unknown): void {
  const tool = toolOf(name)
  const text = canonical(input)
  if (tool !== undefined && text !== undefined) sink.register({ id, tool, input: text })
}
