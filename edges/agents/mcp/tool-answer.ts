/** What a call answers: text for the model, and the same as data where there is data. */
export interface ToolAnswer {
  readonly text: string
  readonly data?: Readonly<Record<string, unknown>>
}
