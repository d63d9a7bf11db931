/**
 * The context bundle (BUNDLE-2, BUNDLE-BUDGET-2): same input, same bytes, never over the budget of bytes
 * and of tokens. What gives way first is fixed:
 * notes of earlier Tasks, comments, then notes oldest first, then bodies to 4096 bytes, then bodies oldest first to the title alone, then
 * whole elements oldest first (BUNDLE-RULE-1).
 */
import { fillComments, type FillThread } from './fill.ts'
import {
  renderComment,
  renderEarlier,
  renderEvents,
  renderLeft,
  renderNotes,
  renderRoot,
  renderThread,
  type BodyForm,
  type ThreadForm,
} from './elements.ts'
import type { BundleInput, BundleThread } from './input.ts'
import { budgetOf, fitsIn, minus, nothing, sizeOf, sumOf, type Size } from './size.ts'

interface RenderedBundle {
  readonly text: string
  /** True when even the skeleton had to give way; the caller logs a warning. */
  readonly squeezed: boolean
}

interface Form {
  readonly threads: readonly ThreadForm[]
  readonly notes: number
  readonly events: boolean
  /** Those that gave way as a whole. */
  readonly left: readonly ThreadForm[]
}

interface RenderOptions {
  readonly maxBytes: number
  /** What the assignment, the index and the events in front take from the same budget. */
  readonly reserved?: Size
  /** Events ride inside the bundle in turn 0 and stand before it in later turns. */
  readonly eventsInside: boolean
  /** Somebody asked for all of them: they take nothing from the budget, and none gives way. */
  readonly wholeNotes?: boolean
}

export function renderBundle(input: BundleInput, options: RenderOptions): RenderedBundle {
  const { maxBytes, reserved = nothing, eventsInside, wholeNotes = false } = options
  const sizeOfForm = measuring(input)
  const beside = wholeNotes ? sizeOf(renderNotes(input, input.notes.length)) : nothing
  const budget = minus(sumOf([budgetOf(maxBytes), beside]), reserved)
  const whole: Form = { threads: skeleton(input), notes: input.notes.length, events: eventsInside, left: [] }
  const fits = (form: Form): boolean => fitsIn(sizeOfForm(form), budget)
  if (!fits(whole)) return { text: write(input, squeeze(whole, fits, wholeNotes ? whole.notes : 0)), squeezed: true }
  const shown = fillComments(
    whole.threads.map(({ thread }) => commentsOf(thread)),
    minus(budget, sizeOfForm(whole)),
  )
  const threads = whole.threads.map((form, index) => ({ ...form, comments: shown[index] ?? [] }))
  return { text: withEarlier(input, { ...whole, threads }, budget), squeezed: false }
}

/** Notes of earlier Tasks have the room that all others leave, newest first. */
function withEarlier(input: BundleInput, form: Form, budget: Size): string {
  for (let shown = Math.max(0, ...input.earlier.map(({ notes }) => notes.length)); ; shown -= 1) {
    const text = write(input, form, shown)
    if (shown <= 0 || fitsIn(sizeOf(text), budget)) return text
  }
}

function commentsOf({ comments }: BundleThread): FillThread {
  return {
    count: comments.length,
    render(nth) {
      const comment = comments[comments.length - 1 - nth]
      return comment === undefined ? '' : renderComment(comment)
    },
  }
}

function skeleton(input: BundleInput): readonly ThreadForm[] {
  const byLocation = (a: BundleThread, b: BundleThread): number =>
    a.repository < b.repository ? -1 : a.repository > b.repository ? 1 : a.number - b.number
  const form = (kind: ThreadForm['kind']) => (thread: BundleThread) =>
    ({ thread, kind, body: 'whole', comments: [] }) satisfies ThreadForm
  return [
    ...input.issues.toSorted(byLocation).map(form('issue')),
    ...input.mergeRequests.toSorted(byLocation).map(form('merge_request')),
  ]
}

function write(input: BundleInput, form: Form, earlier = 0): string {
  const inner =
    form.threads.map(renderThread).join('') +
    renderLeft(form.left) +
    (form.events ? renderEvents(input.events) : '') +
    renderNotes(input, form.notes) +
    renderEarlier(input.earlier, earlier)
  return renderRoot(input, inner)
}

/** Each part is rendered and measured once: rendering all threads again for each one that gives way took seconds. */
function measuring(input: BundleInput): (form: Form) => Size {
  const threads = new Map<ThreadForm, Size>()
  const notes = new Map<number, Size>()
  const once = <Key>(known: Map<Key, Size>, key: Key, text: (key: Key) => string): Size => {
    const size = known.get(key) ?? sizeOf(text(key))
    known.set(key, size)
    return size
  }
  const root = sizeOf(renderRoot(input, ''))
  const events = sizeOf(renderEvents(input.events))
  return (form) =>
    sumOf([
      root,
      ...form.threads.flatMap((each) => [once(threads, each, renderThread), digitsOf(each)]),
      sizeOf(renderLeft(form.left)),
      form.events ? events : nothing,
      once(notes, form.notes, (shown) => renderNotes(input, shown)),
    ])
}

/** Counted as if each thread showed all its comments' digits, so that filling can only stay below it. */
function digitsOf({ thread }: ThreadForm): Size {
  const digits = String(thread.comments.length).length
  return { bytes: digits + 1, tokens: digits }
}

function squeeze(whole: Form, fitsForm: (form: Form) => boolean, fewestNotes: number): Form {
  let form = whole
  const fits = (): boolean => fitsForm(form)
  while (!fits() && form.notes > fewestNotes) form = { ...form, notes: form.notes - 1 }
  if (!fits()) form = { ...form, threads: form.threads.map((thread) => withBody(thread, 'truncated')) }
  for (const index of oldestFirst(form.threads)) {
    if (fits()) return form
    form = { ...form, threads: form.threads.map((thread, at) => (at === index ? withBody(thread, 'dropped') : thread)) }
  }
  while (!fits() && form.threads.length > 0) {
    const oldest = oldestFirst(form.threads)[0]!
    const left = [...form.left, form.threads[oldest]!]
    form = { ...form, threads: form.threads.filter((_, at) => at !== oldest), left }
  }
  return form
}

function withBody(form: ThreadForm, body: BodyForm): ThreadForm {
  return { ...form, body }
}

/** Numbers grow with time on both forges. */
function oldestFirst(threads: readonly ThreadForm[]): readonly number[] {
  return threads
    .map((_, index) => index)
    .toSorted((a, b) => (threads[a]?.thread.number ?? 0) - (threads[b]?.thread.number ?? 0))
}
