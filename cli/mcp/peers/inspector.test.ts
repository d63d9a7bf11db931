/** Each tool once over stdio by the MCP inspector: listed as the gating table says, called, and read back from the server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { profiles, toolNames, toolsOf } from '../../../edges/agents/profiles.ts'
import { describeRequiring } from '../../../testing/requires.ts'
import { startBroker, type Broker } from './broker.ts'
import { answered, calls } from './calls.ts'
import { inspect, inspectCall } from './inspector.ts'
import { kinds, startScene, type Kind, type Scene } from './scene.ts'

test('every tool has its call', () => {
  expect(calls.map(({ tool }) => tool).toSorted()).toEqual([...toolNames].toSorted())
})

describeRequiring('protocol', 'to the MCP inspector', () => {
  let scene: Scene
  const brokers = new Map<Kind, Broker>()

  beforeAll(async () => {
    scene = await startScene({}, {})
    for (const profile of kinds) {
      const task = await scene.taskName(profile)
      const { token } = await scene.room.podOf(task, 1)
      brokers.set(profile, await startBroker({ task, profile, token }, scene.room.orchestrator.url, scene.memory))
    }
    await scene.room.quiet()
  }, 180_000)
  afterAll(async () => {
    for (const broker of brokers.values()) await broker.close()
    await scene?.close()
  }, 60_000)

  // There is no such kind as clarify any more: it is served what an unknown profile is (document 2).
  test.each(['clarify', ...Object.keys(profiles)])(
    'the profile %s lists its column of the gating table',
    async (profile) => {
      const { env } = brokers.get('incident')!
      const { tools } = await inspect({ ...env, PLATFORM_TOOL_PROFILE: profile }, ['--method', 'tools/list'])
      const listed = (tools as { readonly name: string }[]).map(({ name }) => name)
      console.log(`${profile}: ${listed.length} tools: ${listed.join(' ')}`)
      expect(listed.toSorted()).toEqual(toolsOf(profile).toSorted())
    },
  )

  test('a tool of another profile is refused by the server, and by the broker behind it', async () => {
    const { env } = brokers.get('review')!
    const call = { action: 'comment', repo: 'duration', number: scene.facts.issue, body: 'x' }
    const refused = await inspectCall(env, 'issue_write', call)
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('there is no tool issue_write') })
    // The profile is only a word in this environment, and may be another.
    const forged = await inspectCall({ ...env, PLATFORM_TOOL_PROFILE: 'implement' }, 'issue_write', call)
    expect(forged).toMatchObject({ isError: true, text: expect.stringContaining('tool-denied') })
  })

  test.each(calls.map((call) => [call.tool, call.profile, call] as const))('%s, of %s', async (tool, profile, call) => {
    const broker = brokers.get(profile)!
    const { isError, text } = await inspectCall(broker.env, tool, call.input(scene.facts))
    expect([tool, isError, isError ? text : '']).toEqual([tool, false, ''])
    const said = answered(text)
    call.answers?.(said, scene)
    await call.left?.(scene, said, (kind) => brokers.get(kind)!.log())
  })
})
