/** The journal of a running orchestrator, by its API. */
import { pageOf, type Page } from '../http/problems/list.ts'
import type { Static, TSchema } from 'typebox'
import type { OrchestratorClient } from './server/client.ts'
import {
  ActorAnswer,
  ActorBundle,
  DeadLetterAnswer,
  EffectAnswer,
  HistoryAnswer,
  ReplayAnswer,
} from '../edges/journal/answers.ts'
import type { JournalPage, JournalApi } from '../edges/journal/journal-api.ts'

export function remoteJournal(client: Pick<OrchestratorClient, 'ask'>): JournalApi {
  const one = <S extends TSchema>(path: string, query: Query, schema: S): Promise<Static<S>> =>
    client.ask(schema, 'GET', `${path}?${new URLSearchParams(given(query))}`)
  const list = async <S extends TSchema>(
    path: string,
    { after, ...query }: Query,
    item: S,
  ): Promise<JournalPage<Static<S>>> => {
    const { items, nextCursor } = (await one(path, { ...query, cursor: after }, pageOf(item))) as Page<Static<S>>
    return nextCursor === undefined ? { items } : { items, next: nextCursor }
  }
  return {
    actors: (query) => list('/operations/actors', { ...query }, ActorAnswer),
    history: (query) => list('/operations/history', { ...query }, HistoryAnswer),
    replay: (address) => one('/operations/replay', { address }, ReplayAnswer),
    bundle: (address) => one('/operations/export', { address }, ActorBundle),
    effects: (query) => list('/operations/effects', { ...query }, EffectAnswer),
    effect: (key) => one('/operations/effect', { key }, EffectAnswer),
    deadLetters: (query) => list('/operations/dead-letters', { ...query }, DeadLetterAnswer),
    deadLetter: (id) => one('/operations/dead-letter', { id }, DeadLetterAnswer),
    close: async () => undefined,
  }
}

type Query = Readonly<Record<string, string | number | undefined>>

function given(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  )
}
