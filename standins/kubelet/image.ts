/** What keeps an image from being there, in the words of pkg/kubelet/images (v1.36.3). */
import type { Container } from './pod.ts'

export type Images = Readonly<Record<string, readonly string[]>>

export interface Refusal {
  readonly reason: string
  readonly message: string
}

/** https://github.com/distribution/reference: a name in lower case, a tag, a digest. */
const spelling =
  /^(?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/

/** `attempt`: 0 for the first one. */
export function refusalOf({ image, imagePullPolicy }: Container, images: Images, attempt: number): Refusal | undefined {
  if (images[image] !== undefined) return undefined
  if (!spelling.test(image))
    return {
      reason: 'InvalidImageName',
      message: `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`,
    }
  if (imagePullPolicy === 'Never')
    return {
      reason: 'ErrImageNeverPull',
      message: `Container image "${image}" is not present with pull policy of Never`,
    }
  const why = `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`
  if (attempt === 0) return { reason: 'ErrImagePull', message: why }
  return { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}": ErrImagePull: ${why}` }
}
