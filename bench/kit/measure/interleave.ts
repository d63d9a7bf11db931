/**
 * Every round visits every cell, so that what the machine does meanwhile meets all contenders alike. Every other round
 * goes backwards: nobody is always the one that comes after the same neighbour, and drift cancels.
 */
export async function interleave<Cell>(
  rounds: number,
  cells: readonly Cell[],
  visit: (cell: Cell, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await visitInTurn(round, cells, visit)
  }
}

export async function visitInTurn<Cell>(
  round: number,
  cells: readonly Cell[],
  visit: (cell: Cell, round: number) => Promise<void>,
): Promise<void> {
  for (const cell of round % 2 === 0 ? cells : cells.toReversed()) await visit(cell, round)
}
