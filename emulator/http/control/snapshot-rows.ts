/** Parses the rows of an archive with the types that the service reads later, so that no snapshot can break a project. */
import { z } from 'zod'
import { projects } from '../../../client/protocol/control/projects.js'
import type { CheckRow } from '../../core/snapshots/check-archive.js'
import { anyJson, recordType } from '../request/body-forms.js'
import { collectionSettings } from '../request/collection-settings.js'

const data = recordType(anyJson)
const texts = z.array(z.string())
const textOrNull = z.string().nullish()

/** The columns that are parsed on reading. The database checks the types of all others. */
const rowsOf = {
  projects: z.looseObject({ settings: projects.update.request.shape.settings }),
  collections: z.looseObject({
    name: z.string(),
    schema: collectionSettings.schema.unwrap(),
    permissions: collectionSettings.permissions.unwrap(),
    unique_fields: collectionSettings.unique.nullable(),
    title: collectionSettings.title,
  }),
  documents: z.looseObject({ data }),
  users: z.looseObject({ email: z.string(), data, roles: texts, trusted_role: textOrNull }),
  user_secrets: z.looseObject({
    password_hash: textOrNull,
    totp_secret: textOrNull,
    recovery_hashes: texts.optional(),
  }),
  sessions: z.looseObject({ user_id: z.string() }),
  files: z.looseObject({ name: z.string(), path: z.string(), size: z.int().min(0), mime_type: z.string() }),
  idp_accounts: z.looseObject({ name: z.string(), email: textOrNull, claims: data }),
} satisfies Readonly<Record<Parameters<CheckRow>[0], z.ZodType>>

export const checkRow: CheckRow = (part, row) => {
  const [issue] = rowsOf[part].safeParse(row).error?.issues ?? []
  return issue && `"${issue.path.join('.').slice(0, 80)}" ${issue.message.slice(0, 200)}`
}
