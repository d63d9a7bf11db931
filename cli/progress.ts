/** One line that counts on a terminal; on anything else nothing, because logs are not read that way. */
interface Progress {
  tell(done: number, total: number, what?: string): void
  end(): void
}

interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const redrawMs = 100
const barWidth = 24

export function progress(label: string, screen: Screen, now: () => number): Progress {
  if (screen.isTTY !== true) return { tell: () => {}, end: () => {} }
  const started = now()
  let drawn = 0
  return {
    tell: (done, total, what = '') => {
      const at = now()
      if (done < total && at - drawn < redrawMs) return
      drawn = at
      const line = `${label} ${bar(done, total)} ${done}/${total}${eta(done, total, at - started)}${what === '' ? '' : `  ${what}`}`
      screen.write(`\r\u001B[K${line.slice(0, (screen.columns ?? 80) - 1)}`)
    },
    end: () => void screen.write('\r\u001B[K'),
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
