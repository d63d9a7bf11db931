/**
 * Many that are one tab stop: the tab key goes past them, and arrow keys, Home and End go among them. One that has links in it
 * is a stop with its links behind it, and Enter follows the first.
 */
import { h, type ComponentChild, type ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { keyIn } from './keys.ts'

type Item = HTMLElement | SVGElement

interface OneTabStopProps {
  readonly tag: 'div' | 'ol' | 'tbody' | 'ul'
  /** Where keys.ts lists what goes among them. */
  readonly place?: Parameters<typeof keyIn>[0]
  readonly class?: string
  /** Selects those that are gone through. */
  readonly items: string
  /** Selects the columns that they stand in, where the keys to the left and right lead to others. */
  readonly columns?: string
  /** How they follow each other, where that is not how the page has them. */
  order?(there: readonly Item[]): readonly Item[]
  readonly children?: ComponentChildren
  /** It has the focus now. */
  onArrival?(item: Item): void
}

export function OneTabStop({
  tag,
  place: keys = 'List, board, history',
  items,
  columns,
  order = (there) => there,
  onArrival,
  children,
  ...others
}: OneTabStopProps): ComponentChild {
  const frame = useRef<HTMLElement>(null)
  const latest = useRef<Item | undefined>(undefined)
  const all = (within: Element | null = frame.current): readonly Item[] =>
    order([...(within?.querySelectorAll<Item>(items) ?? [])].filter((item) => item.checkVisibility()))

  /** That, or the one that it stands in. */
  const itemOf = (target: EventTarget | null): Item | undefined =>
    (target instanceof Element && target.closest<Item>(items)) || undefined

  /** What was there last is the stop; before anybody was there, what is looked at, else the first one. */
  const settle = (): void => {
    const there = all()
    const known = there.find((item) => item === latest.current)
    const stop = known ?? there.find((item) => item.ariaCurrent === 'true') ?? there[0]
    const links = frame.current?.querySelectorAll<Item>(`:is(${items}) a`) ?? []
    for (const part of [...there, ...links]) {
      const place = stop?.contains(part) === true ? 0 : -1
      // Most stay as they are, and an attribute that is set anew costs the browser its style.
      if (part.getAttribute('tabindex') !== `${place}`) part.tabIndex = place
    }
  }
  useLayoutEffect(settle)

  const goTo = (item: Item | undefined, event: KeyboardEvent): void => {
    event.preventDefault()
    item?.focus()
    if (item !== undefined) onArrival?.(item)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { by } = keyIn(keys, event.key) ?? {}
    const { columns: aside } = keyIn('Board', event.key) ?? {}
    const there = all()
    const at = there.findIndex((item) => item === itemOf(event.target))
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return
    if (event.key === 'Enter' && event.target === there[at]) there[at]?.querySelector('a')?.click()
    if (by !== undefined) goTo(there[Math.min(Math.max(at + by, 0), there.length - 1)], event)
    if (aside === undefined || columns === undefined) return
    const filled = [...(frame.current?.querySelectorAll(columns) ?? [])].map(all).filter(({ length }) => length > 0)
    const column = filled.findIndex((each) => each.some((item) => item === there[at]))
    goTo(filled[column + aside]?.[0], event)
  }
  const onFocusIn = ({ target }: FocusEvent): void => {
    const item = itemOf(target)
    if (item === undefined) return
    latest.current = item
    settle()
  }
  // What was folded shows others.
  return h(tag, { ...others, ref: frame as never, onKeyDown, onFocusIn, onToggleCapture: settle }, children)
}
