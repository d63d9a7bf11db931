import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { expect, it } from 'vitest'
import { agentKinds } from '../../../machines/task/events.ts'
import { toolsFor } from './server.ts'

/** What a model is given of each tool, in tokens of a public vocabulary: every turn of every agent pays for it. */
const encoding = new Tiktoken(o200k)
const most = { tool: 520, profile: 3800 }

it.each(agentKinds)('what %s is told of its tools stays small', (kind) => {
  const costs = toolsFor(kind).map(({ name, description, input }) => ({
    name,
    tokens: encoding.encode(JSON.stringify({ name, description, input_schema: input })).length,
  }))
  expect(costs.filter(({ tokens }) => tokens > most.tool)).toEqual([])
  expect(costs.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(most.profile)
})
