/**
 * What is looked at and by what is filtered: one state for board, list, search and story. The address bar is its truth: a change goes
 * there too, and what comes from there (a link, Back) takes the place of all.
 */
import { createStore } from '@xstate/store'
import { useEffect, useState } from 'preact/hooks'
import { leftOut, readFilter, readSelection, writeSelection, type Filter, type Selection } from './selection.ts'

interface View {
  readonly selection: Selection
  readonly filter: Filter
  /** What the address names and this leaves out, in one sentence. */
  readonly leftOut?: string | undefined
}

const readView = (hash: string): View => ({
  selection: readSelection(hash),
  filter: readFilter(hash),
  leftOut: leftOut(hash),
})

const store = createStore({
  context: readView(''),
  on: {
    followed: (_, { hash }: { readonly hash: string }) => readView(hash),
    selected: ({ filter }, { selection }: { readonly selection: Selection }, { effect }) => {
      effect(() => void (location.hash = writeSelection(selection, filter)))
      return { selection, filter }
    },
    refined: ({ selection }, { filter }: { readonly filter: Filter }, { effect }) => {
      effect(() => history.replaceState(history.state, '', writeSelection(selection, filter)))
      return { selection, filter }
    },
  },
})

/** Reads the address bar, now and whenever it changes. */
export function followAddress(): void {
  const follow = (): void => store.trigger.followed({ hash: location.hash })
  follow()
  addEventListener('hashchange', follow)
}

export function select(selection: Selection): void {
  store.trigger.selected({ selection })
}

/** Takes the place of what was filtered before: Back leads to what was looked at, not to each letter. */
export function refine(filter: Filter): void {
  store.trigger.refined({ filter })
}

/** A link keeps the filter, so that the list stays. */
export function linkTo(selection: Selection, { filter }: View): string {
  return writeSelection(selection, filter)
}

export function useView(): View {
  const [view, setView] = useState(store.getSnapshot().context)
  useEffect(() => {
    const take = (): void => setView(store.getSnapshot().context)
    take()
    return store.subscribe(take).unsubscribe
  }, [])
  return view
}
