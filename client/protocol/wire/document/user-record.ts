/** Encodes users. Only the naming of times depends on the dialect. Spec, "App user". */
import type { OutgoingUser } from '../../model/document.js'
import type { WritableObject } from '../../model/json.js'
import { type EncodeLink, encodeData } from './populated.js'

/** Naming of times: `createdAt` or `created_at`. */
export type Naming = 'camel' | 'snake'

export function encodeUserRecord(naming: Naming, user: OutgoingUser, encodeLink: EncodeLink): WritableObject {
  const { id, email, data, roles, oauthId, emailVerified, createdAt, updatedAt } = user
  const record = {
    id,
    email,
    data: encodeData(data, encodeLink),
    roles,
    oauth_id: oauthId,
    email_verified: emailVerified,
  }
  return naming === 'snake'
    ? { ...record, created_at: createdAt, updated_at: updatedAt }
    : { ...record, createdAt, updatedAt }
}
