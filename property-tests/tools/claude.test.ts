/** Each tool once by the real agent CLI in real pods; only the model is scripted. What the calls changed is read back from the server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PodFolder } from '../../edges/local/pod-folder.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startTestModel, type ModelRequest, type Move, type TestModel } from '../../wrapper/selftest/model.ts'
import { realCli } from '../../wrapper/testing/pod.ts'
import { programDir } from '../../cli/program.ts'
import { answered, calls } from './calls.ts'
import { kinds, startFixture, within, type Facts, type Kind, type Fixture } from './fixture.ts'

const prefix = 'mcp__platform__'

interface Result {
  readonly isError: boolean
  readonly text: string
}

interface Block {
  readonly type: string
  readonly is_error?: boolean
  readonly content?: string | readonly { readonly text?: string }[]
}

/** The pod is known by its tools: each of the three has one that the other two have not. */
function kindOf({ body }: ModelRequest): Kind | undefined {
  const offered = (body.tools ?? []).map(({ name }) => name)
  const has = (tool: string): boolean => offered.includes(`${prefix}${tool}`)
  if (!has('task_get')) return undefined
  if (has('memory_edges')) return 'incident'
  return has('issue_write') ? 'implement' : 'review'
}

/** What the calls of this conversation brought, in their order. */
function resultsIn({ body }: ModelRequest): readonly Result[] {
  return body.messages
    .flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []))
    .filter(({ type }) => type === 'tool_result')
    .map(({ is_error: isError = false, content = '' }) => ({
      isError,
      text: typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join(''),
    }))
}

describeRequiring('protocol', 'to the real agent CLI', () => {
  let model: TestModel
  let fixture: Fixture | undefined
  let facts: Facts | undefined
  const results = new Map<string, Result>()

  function decide(request: ModelRequest): Move {
    const kind = kindOf(request)
    if (kind === undefined) return { kind: 'say', text: 'ok' }
    // A pod may be there before what it shall name: the CLI asks again.
    if (facts === undefined)
      return { kind: 'refuse', status: 529, type: 'overloaded_error', headers: { 'retry-after': '1' } }
    const script = calls.filter(({ profile }) => profile === kind)
    const seen = resultsIn(request)
    for (const [index, result] of seen.entries()) if (script[index]) results.set(script[index].tool, result)
    const next = script[seen.length]
    return next
      ? { kind: 'call', tool: `${prefix}${next.tool}`, input: next.input(facts) }
      : { kind: 'say', text: 'Done.' }
  }

  const logs = new Map<Kind, string>()
  const logOf = (kind: Kind): string => readFileSync(logs.get(kind)!, 'utf8')

  beforeAll(async () => {
    model = await startTestModel(decide)
    fixture = await startFixture(
      { agentCli: [realCli], modelBaseUrl: model.url, modelKey: 'never-sent' },
      { programDir },
    )
    facts = fixture.facts
    const pods = join(fixture.orchestrator.dir, 'state', 'pods')
    for (const kind of kinds) {
      const pod = new PodFolder(pods, `default/${await fixture.taskName(kind)}/1`)
      logs.set(kind, join(pod.path, 'wrapper.log'))
    }
    await within('the last call’s result', async () => {
      const missing = calls.filter(({ tool }) => !results.has(tool))
      return missing.length === 0 ? true : undefined
    })
  }, 400_000)
  afterAll(async () => {
    await fixture?.close()
    await model?.close()
  }, 60_000)

  test.each(calls.map((call) => [call.tool, call.profile, call] as const))('%s, of %s', async (tool, _kind, call) => {
    const result = results.get(tool)
    expect([tool, result?.isError, result?.isError ? result.text : '']).toEqual([tool, false, ''])
    const said = answered(result!.text)
    call.answers?.(said, fixture!)
    await call.left?.(fixture!, said, logOf)
  })
})
