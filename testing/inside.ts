/** Tests whose body runs between what one function opens and closes. */
import { test } from 'vitest'

type Use<Opened extends unknown[]> = (...opened: Opened) => Promise<void>

export interface TestInside<Opened extends unknown[]> {
  (title: string, body: Use<Opened>): void
  /** One test a row, as `test.for` of vitest. */
  for<const Row>(rows: readonly Row[]): (title: string, body: Use<[row: Row, ...opened: Opened]>) => void
}

/** `testInside(withForge, {})` makes tests of a body that `withForge({}, body)` runs. */
export function testInside<Opened extends unknown[], Given extends unknown[] = []>(
  open: (...given: [...Given, Use<Opened>]) => Promise<void>,
  ...given: Given
): TestInside<Opened> {
  const one = (title: string, body: Use<Opened>): void => test(title, () => open(...given, body))
  const rows: TestInside<Opened>['for'] = (all) => (title, body) =>
    test.for(all)(title, (row) => open(...given, (...opened) => body(row, ...opened)))
  return Object.assign(one, { for: rows })
}
