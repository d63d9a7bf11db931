/** Each tool once over stdio by the MCP inspector: listed as the gating table says, called, and read back from the server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiles, toolsOf } from '../../edges/agents/profiles.ts'
import { toolNames } from '../../machines/turn/tools.ts'
import { describeRequiring } from '../../testing/requires.ts'
import { startPodSide, type PodSide } from './pod-side.ts'
import { answered, calls } from './calls.ts'
import { inspect, inspectCall } from './inspector.ts'
import { kinds, startFixture, type Kind, type Fixture } from './fixture.ts'

test('every tool has its call', () => {
  expect(calls.map(({ tool }) => tool).toSorted()).toEqual([...toolNames].toSorted())
})

describeRequiring('protocol', 'to the MCP inspector', () => {
  let fixture: Fixture
  const sides = new Map<Kind, PodSide>()

  beforeAll(async () => {
    fixture = await startFixture({}, {})
    for (const profile of kinds) {
      const task = await fixture.taskName(profile)
      const { token } = await fixture.orchestrator.podOf(task, 1)
      sides.set(
        profile,
        await startPodSide({ task, profile, token }, fixture.orchestrator.orchestrator.url, fixture.memory),
      )
    }
    await fixture.orchestrator.quiet()
  }, 180_000)
  afterAll(async () => {
    for (const side of sides.values()) await side.close()
    await fixture?.close()
  }, 60_000)

  // There is no such kind as clarify any more: it is served what an unknown profile is (GATING-7).
  test.each(['clarify', ...Object.keys(profiles)])(
    'the profile %s lists its column of the gating table',
    async (profile) => {
      const socket = await sides.get('incident')!.socket(profile)
      const { tools } = await inspect(socket, ['--method', 'tools/list'])
      const listed = (tools as { readonly name: string }[]).map(({ name }) => name)
      console.log(`${profile}: ${listed.length} tools: ${listed.join(' ')}`)
      expect(listed.toSorted()).toEqual(toolsOf(profile).toSorted())
    },
  )

  test('a tool of another profile is refused by the server, and by the broker behind it', async () => {
    const side = sides.get('review')!
    const call = { action: 'comment', repo: 'duration', number: fixture.facts.issue, body: 'x' }
    const refused = await inspectCall(await side.socket('review'), 'issue_write', call)
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('there is no tool issue_write') })
    // A server that were told another word would serve more; the broker behind it goes by the pod's.
    const forged = await inspectCall(await side.socket('implement'), 'issue_write', call)
    expect(forged).toMatchObject({ isError: true, text: expect.stringContaining('tool-denied') })
  })

  test.each(calls.map((call) => [call.tool, call.profile, call] as const))('%s, of %s', async (tool, profile, call) => {
    const socket = await sides.get(profile)!.socket(profile)
    const { isError, text } = await inspectCall(socket, tool, call.input(fixture.facts))
    expect([tool, isError, isError ? text : '']).toEqual([tool, false, ''])
    const said = answered(text)
    call.answers?.(said, fixture)
    await call.left?.(fixture, said, (kind) => sides.get(kind)!.log())
  })
})
