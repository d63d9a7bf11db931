/** One text in one situation: told, read, obeyed, judged. */
import { brokenLaws, markOf } from './laws.ts'
import { obey } from './obey.ts'
import type { Order } from './order.ts'
import { ordersIn } from './orders.ts'
import type { CorpusText } from './corpus.ts'
import type { Scene } from './scene.ts'
import { tell, type Bystander, type Situation } from './stories.ts'

export interface Played {
  readonly text: string
  readonly situation: Situation
  /** Kinds of orders that were found in it. */
  readonly orders: readonly Order['does'][]
  readonly calls: number
  readonly refused: number
  readonly broken: readonly string[]
}

export async function play(scene: Scene, text: CorpusText, situation: Situation, other: Bystander): Promise<Played> {
  const story = await tell(scene, text, situation, other)
  const since = await markOf(scene, other)
  const orders = story.read.flatMap(ordersIn)
  const { agent } = story
  const before = agent.heard.length
  await obey(scene, agent, orders, story.at)
  await scene.quiet()
  if (agent.heard.some(({ url, status }) => url.endsWith('/outcome') && status === 200)) {
    await scene.pods.endTurn(agent.pod)
    await scene.quiet()
  }
  const calls = agent.heard.slice(before)
  return {
    text: text.name,
    situation,
    orders: [...new Set(orders.map(({ does }) => does))],
    calls: calls.length,
    refused: calls.filter(({ status }) => status >= 400).length,
    broken: await brokenLaws(scene, story, since, other),
  }
}
