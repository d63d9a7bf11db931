export interface ManifestFault {
  readonly path: string
  readonly message: string
}
