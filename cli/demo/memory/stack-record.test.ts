import { expect, test } from 'vitest'
import { judgeCalls, type Call } from './stack-record.ts'

const [own, other] = ['b92424f6-75db-48b1-b389-36cccc221ede', '0a5d3f0e-3c5b-4a53-9d0e-0c6d1d3a9f11']
const held = new Map([[own, 'The empty text was read as 0.']])

function called(tool: string, answer: object, error = false): Call {
  return { agent: 'review', tool, input: { text: 'the empty text' }, answer: { text: JSON.stringify(answer), error } }
}

const [written, asked] = [called('memory_write', { id: own }), called('memory_query', { results: [{ id: own }] })]
const another = called('memory_query', { results: [{ id: own }, { id: other }] })

test.each([
  ['that the stack holds all of is its own', [written, asked], []],
  [
    'with a memory of another service is none of the stack',
    [written, another],
    [`memory_query "the empty text" was answered with ${other}, which the Project’s memory stack does not hold`],
  ],
  [
    'without memories counts for nothing',
    [written, called('memory_query', { results: [] })],
    ['memory_query "the empty text" was answered with no memory: {"results":[]}'],
  ],
  [
    'that is an error counts for nothing',
    [called('memory_write', { id: own }, true), asked],
    [`memory_write "the empty text" was answered with no memory: {"id":"${own}"}`],
  ],
  ['that nobody asked for is missed', [written], ['no agent called memory_query']],
])('an answer %s', async (_what, calls, faults) => {
  const judged = await judgeCalls(calls, async (id) => held.get(id) ?? null)
  expect(judged.faults).toEqual(faults)
  expect(judged.asked.map(({ tool }) => tool)).toEqual(calls.map(({ tool }) => tool))
})
