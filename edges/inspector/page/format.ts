const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The two largest units of a span: `4 s`, `3 min 20 s`, `2 h 5 min`. */
export function span(milliseconds: number): string {
  const left = Math.max(0, milliseconds)
  if (left < minute) return `${Math.floor(left / second)} s`
  if (left < hour) return pair(left, minute, 'min', second, 's')
  return left < day ? pair(left, hour, 'h', minute, 'min') : pair(left, day, 'd', hour, 'h')
}

/** One unit is enough in a list. */
export function age(milliseconds: number): string {
  return span(milliseconds).split(' ').slice(0, 2).join(' ')
}

function pair(left: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((left % large) / small)
  return rest === 0
    ? `${Math.floor(left / large)} ${largeName}`
    : `${Math.floor(left / large)} ${largeName} ${rest} ${smallName}`
}

/** The time of day; with the date where it is another day than `now`. */
export function clockTime(at: number, now: number): string {
  const date = new Date(at)
  const time = date.toLocaleTimeString(undefined, { hour12: false })
  return date.toDateString() === new Date(now).toDateString() ? time : `${date.toISOString().slice(0, 10)} ${time}`
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
