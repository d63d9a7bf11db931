import { redraw } from './terminal.ts'

/** One line that counts on a terminal. */
interface Progress {
  update(done: number, total: number, what?: string): void
  end(): void
}

const redrawMs = 100
const barWidth = 24

export function progress(label: string, now: () => number): Progress {
  const started = now()
  let drawn = 0
  return {
    update: (done, total, what = '') => {
      const at = now()
      if (done < total && at - drawn < redrawMs) return
      drawn = at
      const line = `${label} ${bar(done, total)} ${done}/${total}${eta(done, total, at - started)}${what === '' ? '' : `  ${what}`}`
      redraw(line)
    },
    end: () => redraw(''),
  }
}

function bar(done: number, total: number): string {
  const full = total === 0 ? barWidth : Math.round((done / total) * barWidth)
  return `[${'='.repeat(full)}${' '.repeat(barWidth - full)}]`
}

/** Of a rate so far; with nothing done, or all, there is nothing to say. */
function eta(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || done >= total) return ''
  return `, ${duration((elapsedMs / done) * (total - done))} left`
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
