-- A limit may be of one partner, and a higher one takes effect later. Null: no limit of its own.
ALTER TABLE refund_limits
  DROP CONSTRAINT refund_limits_pkey,
  DROP CONSTRAINT refund_limits_values,
  ADD COLUMN id text,
  ADD COLUMN "partnerId" text REFERENCES partners (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  ADD COLUMN "previousAmount" bigint,
  ADD COLUMN "effectiveAt" timestamptz(3),
  ALTER COLUMN amount DROP NOT NULL;
UPDATE refund_limits SET id = 'rlim_' || mode || currency, "effectiveAt" = "updatedAt";
ALTER TABLE refund_limits
  ALTER COLUMN id SET NOT NULL,
  ALTER COLUMN "effectiveAt" SET NOT NULL,
  ADD CONSTRAINT refund_limits_pkey PRIMARY KEY (id),
  ADD CONSTRAINT refund_limits_values CHECK (amount > 0 AND "previousAmount" > 0 AND mode IN ('test', 'live'));
CREATE UNIQUE INDEX "refund_limits_mode_currency_partnerId_key" ON refund_limits (mode, currency, "partnerId") NULLS NOT DISTINCT;

-- Whether a person of the partner asked, and no internal staff: what people of the partner see.
ALTER TABLE refund_requests ADD COLUMN "requestedByPartner" boolean NOT NULL DEFAULT false;
