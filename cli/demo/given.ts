/** The options of a demo in a cluster: what belongs together, and what is missing, in one answer. */
import { resolve } from 'node:path'
import { count, flag, text, UsageError, type Parsed } from '../args.ts'
import type { StackOptions } from '../local/stack.ts'

const belonging = ['image', 'operator-url', 'internal-url', 'storage-class'] as const

/** `suffix`: of the namespace, which nobody else may have. @throws UsageError that names all that is missing or wrong. */
export function kubernetesOf(parsed: Parsed, suffix: string): StackOptions['kubernetes'] {
  const [image, operatorUrl, internalUrl, storageClass] = belonging.map((name) => text(parsed, name))
  const kubeconfig = text(parsed, 'kubeconfig')
  if (kubeconfig === undefined) {
    const idle = belonging.filter((name) => text(parsed, name) !== undefined).map((name) => `--${name}`)
    refuse([[idle.length > 0, `${idle.join(', ')}: only with --kubeconfig FILE`]])
    return flag(parsed, 'kubernetes') ? 'own' : undefined
  }
  const isPortOpen = isUrl(operatorUrl) && new URL(operatorUrl).port === '' && text(parsed, 'port') === undefined
  const missing = [
    ...(flag(parsed, 'kubernetes') ? [] : ['--kubernetes']),
    ...(image ? [] : ['--image IMAGE']),
    ...(operatorUrl ? [] : ['--operator-url URL']),
    ...(isPortOpen ? ['--port N, as the URL of --operator-url has none'] : []),
  ]
  const notUrl = (name: string, url = ''): readonly [boolean, string] => [
    url !== '' && !isUrl(url),
    `--${name} takes a URL of http or https, not ${url}`,
  ]
  refuse([
    [missing.length > 0, `--kubeconfig needs ${missing.join(', ')}`],
    notUrl('operator-url', operatorUrl),
    notUrl('internal-url', internalUrl),
    [
      text(parsed, 'chaos') !== undefined,
      '--chaos ends servers and processes of this machine: it is not for a cluster of --kubeconfig',
    ],
  ])
  return {
    // What it names lies beside it, and the orchestrator's own kubeconfig is elsewhere.
    kubeconfig: resolve(kubeconfig),
    namespace: `statewright-demo-${suffix}`,
    image: image ?? '',
    operatorUrl: withoutSlash(operatorUrl ?? ''),
    internalUrl: internalUrl && withoutSlash(internalUrl),
    storageClass,
  }
}

/** @throws UsageError that names all that `--chart` and `--upgrade` miss. */
export function checkChart(parsed: Parsed, dir: string): void {
  const isChart = flag(parsed, 'chart')
  const own = '--chart installs in a Kubernetes of its own: no --kubeconfig'
  refuse([
    [!isChart && flag(parsed, 'upgrade'), '--upgrade: only with --chart'],
    [isChart && !flag(parsed, 'kubernetes'), '--chart needs --kubernetes'],
    [isChart && text(parsed, 'kubeconfig') !== undefined, own],
    [isChart && text(parsed, 'chaos') !== undefined, '--chaos ends processes of this machine: it is not for --chart'],
    // The chart's own volume covers it in the pod.
    [isChart && `${dir}/`.startsWith('/tmp/'), `--chart needs --dir outside of /tmp, not ${dir}`],
  ])
}

/** Whether the Project gets a memory stack. @throws UsageError that names all that `--memory` misses. */
export function memoryStackOf(parsed: Parsed): boolean {
  const profile = text(parsed, 'memory')
  if (profile === undefined) return false
  const own = '--memory runs its stack in a Kubernetes of its own'
  refuse([
    [profile !== 'light', `--memory takes light, the profile that needs no model of its own, not ${profile}`],
    [!flag(parsed, 'kubernetes'), '--memory needs --kubernetes: a demo without it has a memory already'],
    [text(parsed, 'kubeconfig') !== undefined, `${own}: no --kubeconfig`],
    [flag(parsed, 'chart'), '--memory is not for --chart'],
    [text(parsed, 'chaos') !== undefined, '--memory is not for --chaos'],
  ])
  return true
}

/** Of the orchestrator. 0: any free one. */
export function portOf(parsed: Parsed): number {
  const operatorUrl = text(parsed, 'operator-url')
  return count(parsed, 'port', operatorUrl === undefined ? 0 : Number(new URL(operatorUrl).port))
}

function refuse(faults: readonly (readonly [boolean, string])[]): void {
  const found = faults.filter(([isFault]) => isFault).map(([, words]) => words)
  if (found.length > 0) throw new UsageError(found.join('\n'))
}

function isUrl(given: string | undefined): given is string {
  return given !== undefined && URL.canParse(given) && ['http:', 'https:'].includes(new URL(given).protocol)
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
