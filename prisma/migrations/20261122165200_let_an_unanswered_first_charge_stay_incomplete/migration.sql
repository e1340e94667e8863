-- A first charge whose challenge nobody answered ends its subscription like any other that did not succeed.
UPDATE subscriptions SET "cancellationReason" = 'incomplete_expired' WHERE "cancellationReason" = 'authentication_expired';
