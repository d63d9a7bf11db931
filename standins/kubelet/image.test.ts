import { expect, test } from 'vitest'
import { refusalOf } from './image.ts'

const reasonOf = (image: string, attempt = 0, imagePullPolicy = 'IfNotPresent'): string | undefined =>
  refusalOf({ name: 'main', image, imagePullPolicy }, { 'known:1': [] }, attempt)?.reason

test('an image without a program is one that cannot be pulled, in the words of a kubelet', () => {
  expect(reasonOf('known:1')).toBeUndefined()
  expect(reasonOf('registry.test:5000/a/b-c:v1.2')).toBe('ErrImagePull')
  expect(reasonOf('other:1', 1)).toBe('ImagePullBackOff')
  expect(reasonOf('other:1', 0, 'Never')).toBe('ErrImageNeverPull')
  expect(reasonOf('Known:1')).toBe('InvalidImageName')
  expect(reasonOf('a b')).toBe('InvalidImageName')
})
