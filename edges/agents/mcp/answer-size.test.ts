import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect, it } from 'vitest'
import { mostAnswerCharacters } from '../../../wrapper/tools/port.ts'
import { text, withPod } from './testing/fixture.ts'

/** The longest body that GitHub takes. */
const longBody = '"a line"\n'.repeat(7282)
const bundle = `<task_context>${'a word & another\n'.repeat(9000)}</task_context>`

it('a bundle that is too large for one answer is read on by its offset (TOOLS-23, TOOL-TASK-5)', async () => {
  await withPod(
    'implement',
    () => new Response(bundle),
    async (client, asked) => {
      let read = ''
      for (let offset = 0; offset < bundle.length; offset = read.length) {
        const answer = text(await client.callTool({ name: 'task_context', arguments: { notes: 'all', offset } }))
        expect(answer.length).toBeLessThanOrEqual(mostAnswerCharacters)
        read += answer.replace(/\n\[cut: .*\]$/, '')
      }
      expect(read).toBe(bundle)
      expect(new Set(asked.map(({ url }) => url))).toEqual(
        new Set(['http://broker/operator/tasks/implement-lib-1-abcde/context?notes=all']),
      )
    },
  )
})

const words = (count: number): string => Array.from({ length: count }, (_, number) => `word ${number}\n`).join('')

/** Answers each call with one more comment at the beginning of the bundle. */
function growing(): () => Response {
  let calls = 0
  return () => {
    calls += 1
    return new Response(`${'a new comment\n'.repeat(calls)}${words(20_000)}`)
  }
}

async function readOn(client: Client, given: object, offset: number): Promise<string> {
  const answer = text(await client.callTool({ name: 'task_context', arguments: { ...given, offset } }))
  expect(answer.length).toBeLessThanOrEqual(mostAnswerCharacters)
  return answer
}

it('a comment between two pages loses and doubles no word: the pages are of one text (TOOL-TASK-11)', async () => {
  await withPod('implement', growing(), async (client, asked) => {
    let read = ''
    for (let cut: RegExpExecArray | null = null, first = true; first || cut !== null; first = false) {
      const answer = await readOn(client, { notes: 'all' }, Number(cut?.[2] ?? 0))
      cut = /(\n\[cut: .*offset=(\d+) to read on\])$/.exec(answer)
      read += answer.slice(0, cut?.index)
    }
    expect(read).toBe(`a new comment\n${words(20_000)}`)
    expect(asked).toHaveLength(1)
    // From its beginning it is always the newest.
    expect(await readOn(client, { notes: 'all' }, 0)).toContain('a new comment\na new comment\n')
  })
})

it('an offset into a text that the server does not have says that it was rendered anew, once (TOOL-TASK-11)', async () => {
  await withPod('implement', growing(), async (client, asked) => {
    await readOn(client, { notes: 'all' }, 0)
    const other = await readOn(client, { task: 'implement-lib-2-abcde' }, 1000)
    expect(other).toMatch(/^\[the platform has rendered this text anew: .*call again without offset\]\n/)
    expect(await readOn(client, { task: 'implement-lib-2-abcde' }, 2000)).not.toContain('rendered this text anew')
    expect(asked).toHaveLength(2)
  })
})

it.each([
  [{ kind: 'issues', repo: 'lib', number: 7 }, 'kind=issues&repo=lib&number=7'],
  [{ kind: 'comments', repo: 'lib', number: 7, limit: 1 }, 'kind=comments&repo=lib&number=7&limit=1'],
])('the longest body of %j is read on by its offset (TOOLS-23, TOOL-SCM-READ-22)', async (call, query) => {
  await withPod(
    'implement',
    () => Response.json({ items: [{ number: 7, body: longBody }] }),
    async (client, asked) => {
      const read = async (offset?: number): Promise<string> => {
        const { structuredContent } = await client.callTool({ name: 'scm_read', arguments: { ...call, offset } })
        expect(JSON.stringify(structuredContent).length).toBeLessThanOrEqual(mostAnswerCharacters)
        return (structuredContent as { items: { body: string }[] }).items[0]!.body
      }
      const begin = await read()
      const [, cut, at] = /(\n\[cut: .*offset=(\d+)(?: and limit=1)? to read on\])$/.exec(begin)!
      const next = await read(Number(at))
      expect(begin.slice(0, -cut!.length) + next).toBe(longBody)
      expect(new Set(asked.map(({ url }) => url))).toEqual(
        new Set([`http://broker/operator/tasks/implement-lib-1-abcde/scm?${query}`]),
      )
    },
  )
})

it('a page of comments keeps its newest, and names the limit that fits (TOOLS-23)', async () => {
  const items = Array.from({ length: 100 }, (_, id) => ({ external_id: `${id}`, body: 'x'.repeat(1500) }))
  await withPod(
    'implement',
    () => Response.json({ items, nextCursor: 'older' }),
    async (client) => {
      const call = { name: 'scm_read', arguments: { kind: 'comments', repo: 'lib', number: 7 } }
      const { structuredContent } = await client.callTool(call)
      const { items: shown, ...rest } = structuredContent as { items: { external_id: string }[] }
      expect(shown.at(-1)?.external_id).toBe('99')
      const said = `the last ${shown.length} of 100 items: call again with limit=${shown.length}, then go on with its nextCursor`
      expect(rest).toEqual({ cut: [said] })
    },
  )
})

it('an offset is for one body alone (TOOL-SCM-READ-22)', async () => {
  await withPod(
    'implement',
    () => Response.json({ items: [] }),
    async (client, asked) => {
      for (const args of [{ kind: 'issues' }, { kind: 'comments', number: 7 }, { kind: 'ci', number: 7 }]) {
        const result = await client.callTool({ name: 'scm_read', arguments: { repo: 'lib', offset: 5, ...args } })
        expect([result.isError, text(result)]).toEqual([true, expect.stringContaining('/offset needs number')])
      }
      expect(asked).toEqual([])
    },
  )
})

it('a refusal is no larger either (TOOLS-23)', async () => {
  const refused = (): Response => Response.json({ code: 'conflict', detail: 'x'.repeat(90_000) }, { status: 409 })
  await withPod('implement', refused, async (client) => {
    const result = await client.callTool({ name: 'task_get', arguments: {} })
    expect(result.isError).toBe(true)
    expect(text(result).length).toBeLessThanOrEqual(mostAnswerCharacters)
  })
})
