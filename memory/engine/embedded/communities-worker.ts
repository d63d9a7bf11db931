/** A thread that finds the communities of one graph: its ties come in as texts, slices of the members go out. */
import { parentPort } from 'node:worker_threads'
import type { CommunitiesAnswer, CommunitiesQuestion } from './communities.ts'
import { membersOf, type Members } from './members.ts'

const texts: string[] = []
let members: Members | undefined

parentPort?.on('message', (question: CommunitiesQuestion) => {
  if (question.kind === 'ties') texts.push(question.text)
  else answer(slice(question))
})

function slice({ begin, end }: Extract<CommunitiesQuestion, { readonly kind: 'members' }>): CommunitiesAnswer {
  const { ids, communities, centralities } = (members ??= membersOf(texts))
  return {
    ids: ids.slice(begin, end),
    communities: communities.slice(begin, end),
    centralities: centralities.slice(begin, end),
  }
}

function answer(given: CommunitiesAnswer): void {
  parentPort?.postMessage(given)
}
