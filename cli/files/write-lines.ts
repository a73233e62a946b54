import { open } from 'node:fs/promises'

const pieceCharacters = 256 * 1024

/** Creates a private file and writes it line by line. The lines are on disk once this resolves. */
export async function writeLines<Result>(
  path: string,
  write: (line: (text: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, 'wx', 0o600)
  try {
    let piece = ''
    const result = await write(async (text) => {
      piece += text
      if (piece.length < pieceCharacters) return
      await file.appendFile(piece)
      piece = ''
    })
    await file.appendFile(piece)
    await file.sync()
    return result
  } finally {
    await file.close()
  }
}
