/** Where the parts of a service are, below its address. */
export function addressesAt(url: string) {
  return { url, wsUrl: url.replace(/^http/, 'ws'), storageUrl: `${url}/files`, dashboardUrl: `${url}/_svc/` }
}
