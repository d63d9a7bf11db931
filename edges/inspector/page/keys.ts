/** The one table of keys: what handles them reads it, and so does the list that `?` opens. */
export interface Key {
  /** As events name them. */
  readonly keys: readonly string[]
  readonly does: string
  /** How far it goes on among those that share a tab stop. */
  readonly by?: number
  /** Columns to the right. */
  readonly columns?: number
  /** How much larger it makes the chart. */
  readonly zoom?: number
  readonly action?: 'openKeys' | 'search' | 'showTable' | 'fold' | 'leave'
}

/** Of a key, and of a button. */
export const zoomStep = 1.25

export const keyTable = {
  Anywhere: [
    { keys: ['?'], does: 'opens this list', action: 'openKeys' },
    { keys: ['/'], does: 'goes to the search', action: 'search' },
    { keys: ['Escape'], does: 'closes this list' },
    {
      keys: ['Tab'],
      does: 'goes on; list, board, chart and history are one stop each, and a card leads to its links',
    },
  ],
  'Search field': [{ keys: ['Escape'], does: 'empties it; where it is empty, goes on to the list' }],
  'List, board, history': [
    { keys: ['ArrowDown'], does: 'the next one', by: 1 },
    { keys: ['ArrowUp'], does: 'the one before', by: -1 },
    { keys: ['Home'], does: 'the first one', by: -Infinity },
    { keys: ['End'], does: 'the last one', by: Infinity },
    { keys: ['Enter'], does: 'opens it' },
  ],
  Board: [
    { keys: ['ArrowRight'], does: 'the next column', columns: 1 },
    { keys: ['ArrowLeft'], does: 'the column before', columns: -1 },
  ],
  Chart: [
    { keys: ['ArrowRight', 'ArrowDown'], does: 'the next state or line', by: 1 },
    { keys: ['ArrowLeft', 'ArrowUp'], does: 'the one before', by: -1 },
    { keys: ['Home'], does: 'the first one', by: -Infinity },
    { keys: ['End'], does: 'the last one', by: Infinity },
    { keys: ['Enter'], does: 'shows its table', action: 'showTable' },
    { keys: [' '], does: 'opens or folds a branch, shows the table of anything else', action: 'fold' },
    { keys: ['Escape'], does: 'leaves the states; arrow keys then move the chart', action: 'leave' },
    { keys: ['+'], does: 'makes the chart larger, as Ctrl and the wheel do', zoom: zoomStep },
    { keys: ['-'], does: 'makes it smaller', zoom: 1 / zoomStep },
  ],
} as const satisfies Readonly<Record<string, readonly Key[]>>

export function keyIn(place: keyof typeof keyTable, key: string): Key | undefined {
  const rows: readonly Key[] = keyTable[place]
  return rows.find(({ keys }) => keys.includes(key))
}

/** As it is printed on a keyboard. */
export function printed(key: string): string {
  return { ' ': 'Space', ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' }[key] ?? key
}
