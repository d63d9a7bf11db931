/** Did the agents of a demo ask the memory stack of their own Project? The turns at the model and the stack itself decide. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { clientCredentials } from '../../../http/token-source.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { ServingStack } from '../../local/cluster/memory-stack.ts'
import { audiences, type Stack } from '../../local/stack.ts'
import type { Model } from '../../local/standins.ts'
import { firstLine } from '../maintainer-comments.ts'

/** One call of an agent's tool of the memory. */
interface Asked {
  readonly agent: string
  readonly tool: string
  readonly text: string
  /** Of the memories in the answer, by id; null: the stack has none of that id. */
  readonly answered: Readonly<Record<string, string | null>>
  /** What the tool said in place of memories. */
  readonly refused?: string
}

export interface StackRecord extends Omit<ServingStack, 'url'> {
  readonly asked: readonly Asked[]
}

/** What was asked and answered, before it is looked for. */
export interface Call {
  readonly agent: string
  readonly tool: string
  readonly input: unknown
  readonly answer: { readonly text: string; readonly error: boolean } | undefined
}

/** The content of a memory in the stack; null: there is none of that id. */
type Find = (id: string) => Promise<string | null>

const Input = Type.Object({ text: Type.String() })
const Written = Type.Object({ id: Type.String() })
const Found = Type.Object({ results: Type.Array(Written) })
const Content = Type.Object({ content: Type.String() })

export async function recordStack(
  { model, endpoints }: Pick<Stack, 'model' | 'endpoints'>,
  { url, ...shown }: ServingStack,
): Promise<{ readonly report: StackRecord; readonly faults: readonly string[] }> {
  const { tokenUrl, clientId, clientSecret: secret } = endpoints
  const audience = audiences.memory
  const tokens = clientCredentials({ tokenUrl, clientId, secret, audience, clock: systemClock, fetch })
  const { asked, faults } = await judgeCalls(model === undefined ? [] : callsOf(model), async (id) => {
    const headers = { authorization: `Bearer ${await tokens.token()}` }
    const answer = await fetch(`${url}/memories/${id}`, { headers })
    if (answer.status === 404) return null
    return Value.Parse(Content, await answer.json()).content
  })
  // Without a scripted model nobody knows what an agent is going to ask.
  return { report: { ...shown, asked }, faults: model === undefined ? [] : faults }
}

function callsOf(model: Model): readonly Call[] {
  const agents = new Map(model.turns().map(({ turnToken, agent }) => [turnToken, agent]))
  return model.inputs().flatMap(({ turnToken, calls }) =>
    calls.flatMap(({ name, input, answer }) => {
      const [, tool] = /__(memory_\w+)$/.exec(name) ?? []
      return tool === undefined ? [] : [{ agent: agents.get(turnToken) ?? '', tool, input, answer }]
    }),
  )
}

/** Ids are the service's own and random: an id that the stack does not know is another service's answer. */
export async function judgeCalls(
  calls: readonly Call[],
  find: Find,
): Promise<{ readonly asked: readonly Asked[]; readonly faults: readonly string[] }> {
  const asked: Asked[] = []
  for (const { agent, tool, input, answer } of calls) {
    const text = Value.Check(Input, input) ? input.text : ''
    const ids = idsIn(answer)
    const answered: Record<string, string | null> = {}
    for (const id of ids) answered[id] = await find(id)
    const refused = ids.length === 0 ? { refused: firstLine(answer?.text ?? 'no answer') } : {}
    asked.push({ agent, tool, text, answered, ...refused })
  }
  return { asked, faults: faultsIn(asked) }
}

function idsIn(answer: Call['answer']): readonly string[] {
  if (answer === undefined || answer.error) return []
  const json = jsonOf(answer.text)
  if (Value.Check(Found, json)) return json.results.map(({ id }) => id)
  return Value.Check(Written, json) ? [json.id] : []
}

function jsonOf(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text)
    return json
  } catch {
    return undefined
  }
}

function faultsIn(asked: readonly Asked[]): readonly string[] {
  return [
    ...['memory_write', 'memory_query']
      .filter((tool) => !asked.some((one) => one.tool === tool))
      .map((tool) => `no agent called ${tool}`),
    ...asked.flatMap(({ tool, text, answered, refused }) => [
      ...(refused === undefined ? [] : [`${tool} "${text}" was answered with no memory: ${refused}`]),
      ...Object.entries(answered)
        .filter(([, content]) => content === null)
        .map(([id]) => `${tool} "${text}" was answered with ${id}, which the Project’s memory stack does not hold`),
    ]),
  ]
}
