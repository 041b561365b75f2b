const LINKS = [
  ['/admin', 'Accounts'],
  ['/admin/audit', 'Audit'],
  ['/admin/service', 'Service'],
] as const

/** The navigation between the operator's pages. */
export function AdminNav({ path }: { readonly path: string }) {
  return (
    <nav class="tabs" aria-label="Administration">
      <ul>
        {LINKS.map(([href, label]) => (
          <li key={href}>
            <a href={href} aria-current={findCurrent(href, path)}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The page of one account belongs to the list of accounts. */
function findCurrent(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page'
  return href === '/admin' && path.startsWith('/admin/accounts/') ? 'true' : undefined
}
