import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Equal or not, in a time that tells neither where two texts differ nor how long the secret is. */
export function constantTimeEqual(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

/** `sha256=<hex>`, the form of GitHub's X-Hub-Signature-256 and of our own callbacks. */
export function signHmac(secret: string, body: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** An empty secret verifies nothing: it would make every signature forgeable. */
export function verifyHmac(secret: string, body: string | Uint8Array, signature: string | undefined): boolean {
  if (secret === '' || signature === undefined) return false
  return constantTimeEqual(signHmac(secret, body), signature)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
