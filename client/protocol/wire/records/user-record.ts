/** A user's record in both namings of its times; everything else is the same in every dialect. Spec, "App user". */
import type { Linked, OutgoingUser } from '../../model/document.js'
import type { Writable, WritableObject } from '../../model/json.js'
import { writeData } from '../document/populated.js'

type WriteLink = (link: Linked) => Writable

export function writeCamelUser(user: OutgoingUser, writeLink: WriteLink): WritableObject {
  return { ...written(user, writeLink), createdAt: user.createdAt, updatedAt: user.updatedAt }
}

export function writeSnakeUser(user: OutgoingUser, writeLink: WriteLink): WritableObject {
  return { ...written(user, writeLink), created_at: user.createdAt, updated_at: user.updatedAt }
}

function written({ id, email, data, roles, oauthId, emailVerified }: OutgoingUser, writeLink: WriteLink) {
  return {
    id,
    email,
    data: writeData(data, writeLink),
    roles,
    oauth_id: oauthId,
    email_verified: emailVerified,
  }
}
