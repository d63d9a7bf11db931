import { h, type ComponentChild } from 'preact'

/** Made once: a list draws thousands each second. */
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Words for a moment, mostly how long ago it was; the moment itself shows where the pointer rests. */
export function moment(at: number, words: string): ComponentChild {
  const date = new Date(at)
  // A number that is no time can stand in what others wrote.
  if (Number.isNaN(date.getTime())) return words
  return h('time', { dateTime: date.toISOString(), title: whole.format(date) }, words)
}
