import { h, type ComponentChild } from 'preact'

/** Made once: a list draws thousands each second. */
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Words for a moment, mostly how long ago it was; the moment itself shows where the pointer rests. */
export function moment(at: number, words: string): ComponentChild {
  return h('time', { dateTime: new Date(at).toISOString(), title: whole.format(at) }, words)
}
