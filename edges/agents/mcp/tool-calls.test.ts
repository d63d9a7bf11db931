import { describe, expect, it } from 'vitest'
import { agentKinds } from '../../../machines/task/events.ts'
import { isAllowed } from '../../../wrapper/broker/allowed-calls.ts'
import { toolsOf } from '../profiles.ts'
import { toolNames, toolTable, type RestCall, type ToolName } from '../../../machines/turn/tools.ts'
import type { Backend } from './backend.ts'
import { toolsFor } from './server.ts'
import type { Tool } from './tool.ts'

/** For programs beside the tools: the bundle has the notes. */
const forOthers = ['tasks/:any/notes']

/** One after the other each word that an argument may have, with and without an id. */
function inputsOf({ input }: Tool): readonly Record<string, unknown>[] {
  const { required = [], properties } = input as typeof input & { readonly required?: readonly string[] }
  const worded = Object.entries(properties).flatMap(([name, schema]) =>
    ((schema as { anyOf?: readonly { const?: unknown }[] }).anyOf ?? []).map((word) => ({ name, [name]: word.const })),
  )
  const needed = required.filter((name) => worded.some((one) => one.name === name))
  return [{}, { index: true }, ...worded]
    .filter((one) => needed.every((name) => Object.hasOwn(one, name)))
    .flatMap((one) => [one, { ...one, id: 'a' }])
}

function backend(profile: string, calls: RestCall[]): Backend {
  const asked = (service: RestCall['service'], method: RestCall['method'], path: string): Promise<never> => {
    calls.push({ service, method, path })
    return Promise.resolve({ text: '{}', data: {} } as never)
  }
  return {
    pod: { task: 'mine', project: 'demo', profile, repositories: [] },
    get: (service, path) => asked(service, 'GET', path),
    send: (service, method, path) => asked(service, method, path),
    reportIssue: async () => ({ text: '' }),
    push: async () => [],
  }
}

const concrete = ({ service, method, path }: RestCall): RestCall => ({
  service,
  method,
  path: path.replace(':own', 'mine').replace(':any', 'a').replace(':project', 'demo').replace('*', 'a'),
})

function isLike(line: RestCall, { service, method, path }: RestCall): boolean {
  const pattern = line.path
    .replace(':own', 'mine')
    .replace(':project', 'demo')
    .replace(/:any/, '[^/]+')
    .replace('*', '.+')
  return line.service === service && line.method === method && new RegExp(`^${pattern}$`).test(path)
}

const may = (profile: string, { service, method, path }: RestCall): boolean =>
  isAllowed({ profile, task: 'default/mine', project: 'default/demo' }, service, method, path)

it('a tool without a line in the table does not compile', () => {
  // @ts-expect-error: no line has this name.
  const name: Tool['name'] = 'code_rename'
  expect(toolNames).not.toContain(name)
})

describe('the REST calls of the table of tools', () => {
  it.each(agentKinds)(
    'are all that the tools of %s make, and the tools make each of them (TOOL-RULE-4)',
    async (kind) => {
      for (const tool of toolsFor(kind)) {
        const calls: RestCall[] = []
        for (const input of inputsOf(tool)) await tool.call(input, backend(kind, calls))
        const { calls: lines } = toolTable[tool.name]
        expect([tool.name, calls.filter((call) => !lines.some((line) => isLike(line, call)))]).toEqual([tool.name, []])
        const unused = lines.filter((line) => !calls.some((call) => isLike(line, call)))
        expect([tool.name, unused.filter(({ path }) => !forOthers.includes(path))]).toEqual([tool.name, []])
      }
    },
  )

  it.each([...agentKinds, '', 'clarify'])(
    'are those that the broker in the pod lets through for %j (TOOLS-12, TOOL-RULE-4, GATING-4)',
    (profile) => {
      const every = toolNames.flatMap((tool) => toolTable[tool].calls.map((call) => ({ tool, call })))
      const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const
      const asked = every.flatMap(({ call }) => methods.map((method) => concrete({ ...call, method })))
      const own = (call: RestCall): readonly ToolName[] =>
        toolsOf(profile).filter((tool) => toolTable[tool].calls.some((line) => isLike(line, call)))
      for (const call of asked) expect([call, may(profile, call)]).toEqual([call, own(call).length > 0])
    },
  )
})
