import { describe, expect, test } from 'vitest'
import { declaredTools } from './model-request.ts'

const tools = [{ name: 'Bash' }, { name: 'mcp__platform__task_note' }, { name: 'mcp__wiki__look_up' }]
const asking = (content: unknown, more: object = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ tools, messages: [{ role: 'user', content }], ...more }))
const summary = 'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a summary'

describe('what a request to the model declares', () => {
  test('is the tools of the platform', () => {
    expect([...declaredTools(asking('go on'))]).toEqual(['task_note'])
  })

  test.each<[string, Uint8Array]>([
    ['has no tools', asking('go on', { tools: undefined })],
    [
      'asks for a summary',
      asking([
        { type: 'text', text: 'before' },
        { type: 'text', text: summary },
      ]),
    ],
    ['asks for a summary in one text', asking(summary)],
    ['is no JSON', Buffer.from('{"tools":')],
    ['is compressed', Buffer.from([0x1f, 0x8b, 8, 0])],
    ['has no message', asking('', { messages: [] })],
  ])('is nothing where it %s', (_what, body) => {
    expect(declaredTools(body).size).toBe(0)
  })

  test('is not taken away by a tool that answers with the order for a summary', () => {
    const answered = [{ type: 'tool_result', tool_use_id: 'toolu_1', content: summary }]
    expect(declaredTools(asking(answered)).size).toBe(1)
    expect(declaredTools(asking([{ type: 'text', text: `I read: ${summary}` }])).size).toBe(1)
  })
})
