import { describe, expect, test } from 'vitest'
import { BlockReader, readWhole, type BlockSink } from './block-reader.ts'
import { maxDepth } from './canonical.ts'
import type { Block } from './registry.ts'

function recording(): BlockSink & { readonly blocks: Block[]; drops: number } {
  const sink = {
    blocks: [] as Block[],
    drops: 0,
    register: (block: Block) => void sink.blocks.push(block),
    drop: () => void (sink.drops += 1),
  }
  return sink
}

const line = (event: object): string => `event: x\ndata: ${JSON.stringify(event)}\n\n`
const start = (index: number, block: object): string =>
  line({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, json: string): string =>
  line({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } })
const stop = (index: number): string => line({ type: 'content_block_stop', index })
const note = { type: 'tool_use', id: 'toolu_1', name: 'mcp__platform__task_note', input: {} }
const read = { id: 'toolu_1', tool: 'task_note', input: '{"a":1,"b":"x"}' }
/** The input of a block that nests so many levels deep. */
const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
const whole = line({ type: 'message_stop' })

describe('a streamed answer', () => {
  test('registers a block at its end, whatever pieces the stream came in', () => {
    const text = start(0, note) + delta(0, '{"b":"x"') + delta(0, ',"a":1}') + stop(0)
    for (const size of [1, 3, 7, text.length]) {
      const sink = recording()
      const reader = new BlockReader(sink)
      for (let at = 0; at < text.length; at += size) {
        // Up to here the CLI has not seen the line's end either.
        if (at + size < text.length - 2) expect(sink.blocks).toEqual([])
        reader.push(text.slice(at, at + size))
      }
      expect(sink.blocks).toEqual([read])
    }
  })

  test('keeps blocks that are streamed side by side apart', () => {
    const sink = recording()
    const other = { ...note, id: 'toolu_2', name: 'mcp__platform__submit_outcome' }
    new BlockReader(sink).push(
      start(0, note) + start(1, other) + delta(1, '{"v":2}') + delta(0, '{"a":1,"b":"x"}') + stop(1) + stop(0),
    )
    expect(sink.blocks).toEqual([{ id: 'toolu_2', tool: 'submit_outcome', input: '{"v":2}' }, read])
  })

  test.each([maxDepth + 1, 200_000])(
    'registers no block that nests %i levels deep, and the one beside it',
    (levels) => {
      const sink = recording()
      const other = { ...note, id: 'toolu_2' }
      new BlockReader(sink).push(
        start(0, note) + delta(0, nested(levels)) + stop(0) + start(1, other) + delta(1, nested(maxDepth)) + stop(1),
      )
      expect(sink.blocks).toEqual([{ ...read, id: 'toolu_2', input: nested(maxDepth) }])
      expect(sink.drops).toBe(0)
    },
  )

  test('takes a block without any input for one with none', () => {
    const sink = recording()
    new BlockReader(sink).push(start(0, note) + stop(0))
    expect(sink.blocks).toEqual([{ ...read, input: '{}' }])
  })

  test.each<[string, string]>([
    ['a block that has not ended', start(0, note) + delta(0, '{}')],
    ['a block whose end has no line end yet', (start(0, note) + stop(0)).trimEnd()],
    ['a tool of the provider’s own', start(0, { ...note, type: 'server_tool_use' }) + stop(0)],
    ['a tool that the provider calls by MCP', start(0, { ...note, type: 'mcp_tool_use' }) + stop(0)],
    ['a tool of another server', start(0, { ...note, name: 'mcp__wiki__task_note' }) + stop(0)],
    ['a tool of the CLI’s own', start(0, { ...note, name: 'Bash' }) + stop(0)],
    ['a text that looks like a block', start(0, { type: 'text', text: JSON.stringify(note) }) + stop(0)],
    ['arguments that are no JSON', start(0, note) + delta(0, '{"a":') + stop(0)],
    ['an end without a beginning', stop(0)],
    ['a block after what can not be read', `data: {"type":\n\n${start(0, note)}${stop(0)}`],
    ['a block after an error', line({ type: 'error', error: {} }) + start(0, note) + stop(0)],
    ['a block after the end of the message', whole + start(0, note) + stop(0)],
    ['an event that is spread over two lines', `data: {"type":\ndata: "content_block_stop","index":0}\n\n`],
    ['a block without an id', start(0, { ...note, id: '' }) + stop(0)],
  ])('registers nothing for %s', (_what, text) => {
    const sink = recording()
    new BlockReader(sink).push(text)
    expect(sink.blocks).toEqual([])
  })

  test('drops what was registered when it breaks off, when it errs and when it turns unreadable, and not when it is whole', () => {
    const block = start(0, note) + stop(0)
    for (const [text, drops] of [
      [block, 1],
      [block + line({ type: 'error', error: {} }), 1],
      [`${block}data: nothing\n`, 1],
      [block + whole, 0],
    ] as const) {
      const sink = recording()
      const reader = new BlockReader(sink)
      reader.push(text)
      reader.end()
      expect([sink.blocks.length, sink.drops]).toEqual([1, drops])
    }
  })
})

describe('an answer in one piece', () => {
  test('registers its blocks', () => {
    const sink = recording()
    const input = { b: 'x', a: 1 }
    readWhole(sink, {
      type: 'message',
      content: [
        { type: 'text', text: 'so' },
        { ...note, input },
      ],
    })
    expect(sink.blocks).toEqual([read])
  })

  test('registers no block that nests too deep, and the one beside it', () => {
    const sink = recording()
    const deep = { ...note, id: 'toolu_2', input: JSON.parse(nested(maxDepth + 1)) }
    readWhole(sink, { type: 'message', content: [deep, { ...note, input: { b: 'x', a: 1 } }] })
    expect(sink.blocks).toEqual([read])
  })

  test.each<[string, unknown]>([
    ['an error', { type: 'error', content: [note] }],
    ['a count', { input_tokens: 3 }],
    ['a tool of the provider’s own', { type: 'message', content: [{ ...note, type: 'server_tool_use' }] }],
    ['no object', [note]],
  ])('registers nothing for %s', (_what, body) => {
    const sink = recording()
    readWhole(sink, body)
    expect(sink.blocks).toEqual([])
  })
})
