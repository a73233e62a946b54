/** Encodes answers about files in each dialect, and describes their schemas. */
import type { StorageUsage, StoredFile } from '../../../client/protocol/model/file.js'
import type { Page } from '../../../client/protocol/model/page.js'
import { axes, type Dialect } from '../../../client/protocol/wire/axes.js'
import { count, object, text } from '../../../client/protocol/wire/json-schema.js'
import { encodeRemoved } from '../../../client/protocol/wire/records/documents.js'
import { encodeFile, encodeFiles, encodeUsage, fileShape } from '../../../client/protocol/wire/records/files.js'
import type { ReplyForm } from './reply-form.js'

/** The values that handlers return, by kind of reply. */
export interface FileReplyValues {
  file: StoredFile
  /** The address of a new file, for clients of the deployed service. */
  fileAddress: StoredFile
  files: Page<StoredFile>
  removedFile: { readonly id: string }
  storageUsage: StorageUsage
}

const record = (dialect: Dialect) => axes.record[dialect.record]

export const fileReplies: { readonly [Kind in keyof FileReplyValues]: ReplyForm<FileReplyValues[Kind]> } = {
  file: {
    write: (dialect, file) => ({ body: encodeFile(dialect, file) }),
    schema: (dialect) => record(dialect).schema(fileShape(dialect).schema),
  },
  fileAddress: {
    write: (dialect, { url, name, size }) => ({
      body: record(dialect).encode({
        status: 'success',
        message: 'The file was stored.',
        ...{ url, filename: name, size },
      }),
    }),
    schema: (dialect) =>
      record(dialect).schema(
        object({ status: { const: 'success' }, message: text, url: text, filename: text, size: count }),
      ),
  },
  files: {
    write: encodeFiles,
    schema: (dialect) => record(dialect).schema(axes.list[dialect.list].schema(fileShape(dialect).schema, 'files')),
  },
  removedFile: {
    write: (dialect, { id }) => ({ body: encodeRemoved(dialect, 'file', id) }),
    schema: (dialect) => record(dialect).schema(axes.acks[dialect.acks].removedSchema),
  },
  storageUsage: {
    write: (dialect, usage) => ({ body: encodeUsage(dialect, usage) }),
    schema: (dialect) =>
      record(dialect).schema(
        object({ files: count, bytes: count, limitBytes: { type: ['integer', 'null'] }, tier: text }),
      ),
  },
}
