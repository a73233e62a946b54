import { cookies } from 'next/headers'
import { cache } from 'react'
import { createServerClient } from 'svc-toolkit-client/server'
import type { Schema } from './svc-types'

/** Opens the client of the visitor: one for each request, with the session in its cookies. Only for code on the server. */
export const openVisitor = cache(async () => {
  const { NEXT_PUBLIC_SVC_URL: url, NEXT_PUBLIC_SVC_API_KEY: apiKey } = process.env
  if (!url || !apiKey) {
    throw new Error(
      'NEXT_PUBLIC_SVC_URL and NEXT_PUBLIC_SVC_API_KEY are not set. On your machine, “npx svc dev” writes them to .env.local. ' +
        'In a fresh clone, run “npx svc init --yes” first.',
    )
  }
  return createServerClient<Schema>({ url, apiKey, cookies: await cookies() })
})
