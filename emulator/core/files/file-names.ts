/** What a file may be called and where it may lie. Contract 8.2; none of this ever becomes a path on a disk. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Backend } from '../context.js'

/**
 * The name of an uploaded file, without the folders that some senders put before it.
 *
 * @throws {SvcError} `INVALID_PATH`
 */
export function requireFileName(sent: string): string {
  const name = sent.replace(/^.*[/\\]/s, '').normalize('NFC')
  if (name === '' || name === '.' || name === '..') {
    throw new SvcError('INVALID_PATH', `"${shown(sent)}" is not a valid file name.`)
  }
  if (Buffer.byteLength(name) > sizes.maxFileNameBytes) {
    throw new SvcError('INVALID_PATH', `A file name is at most ${formatBytes(sizes.maxFileNameBytes)}.`)
  }
  if (/\p{Cc}|\p{Cs}/u.test(name)) {
    throw new SvcError('INVALID_PATH', 'A file name cannot hold control characters.')
  }
  return name
}

/**
 * A folder as it is kept: without a slash at its end, empty at the top.
 *
 * @throws {SvcError} `INVALID_PATH`
 */
export function requireFolder(sent: string): string {
  if (sent === '') return ''
  const path = sent.replace(/\/$/, '').normalize('NFC')
  if (Buffer.byteLength(path) > sizes.maxPathBytes) {
    throw new SvcError('INVALID_PATH', `A folder is at most ${sizes.maxPathBytes.toLocaleString('en')} bytes long.`)
  }
  const isFit = path.split('/').every((name) => /^[\p{L}\p{M}\p{N} ._-]+$/u.test(name) && !/^\.\.?$/.test(name))
  if (!isFit) {
    throw new SvcError(
      'INVALID_PATH',
      `"${shown(sent)}" is not a valid folder. Use names of letters, digits, spaces, ".", "_" and "-", with "/" between them.`,
    )
  }
  return path
}

/** The public address of a file. */
export function fileUrl({ reachedAt }: Pick<Backend, 'reachedAt'>, { id, name }: { id: string; name: string }): string {
  return `${reachedAt()}/files/${id}/${encodeURIComponent(name)}`
}

function shown(text: string): string {
  return text.slice(0, 80).replaceAll(/\p{C}/gu, '�')
}
